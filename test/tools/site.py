#!/usr/bin/env python3
"""test/tools/site.py [-site FOLDER] [-browser COMMAND] [-shots FOLDER] - checks build/site in a headless browser.

It drives Chromium through the DevTools protocol over a pipe, so it needs Python's own modules only. It opens every page from
the file system, follows every link and anchor, searches names, uses the keyboard alone, and looks at a narrow screen and at the
dark colours. -shots also saves pictures of pages. The last line counts the checks.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

PATIENCE = 30          # seconds for one answer of the browser
NAMES = ['torch.add', 'nn.Linear', 'optim.adam', 'torch.save', 'nn.Sequential', 'image.load', 'feed.loader', 'dist.allreduce',
         'Tensor:narrow', 'nn.Module:clone']

passed = failed = 0


def check(ok, text, detail=''):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print('FAIL %s%s' % (text, ': ' + str(detail)[:600] if detail else ''))
    return ok


class Browser:
    """One page of a headless Chromium."""

    def __init__(self, command):
        self.profile = tempfile.mkdtemp()
        to_child, self.out = os.pipe()
        self.inp, from_child = os.pipe()

        def connect():                       # the browser reads file descriptor 3 and writes 4
            os.dup2(to_child, 100)
            os.dup2(from_child, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        self.process = subprocess.Popen(
            [command, '--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', '--disable-dev-shm-usage',
             '--allow-file-access-from-files', '--no-first-run', '--user-data-dir=' + self.profile, 'about:blank'],
            preexec_fn=connect, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.number, self.buffer, self.events, self.session = 0, b'', [], None
        target = [t for t in self.call('Target.getTargets')['targetInfos'] if t['type'] == 'page'][0]
        self.session = self.call('Target.attachToTarget', targetId=target['targetId'], flatten=True)['sessionId']
        for domain in 'Page', 'Runtime', 'Log', 'Network':
            self.call(domain + '.enable')
        self.call('Emulation.setFocusEmulationEnabled', enabled=True)

    def read(self, deadline):
        while b'\0' not in self.buffer:
            left = deadline - time.time()
            if left <= 0 or not select.select([self.inp], [], [], left)[0]:
                return None
            piece = os.read(self.inp, 1 << 20)
            if not piece:
                raise RuntimeError('the browser ended')
            self.buffer += piece
        text, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': params}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.out, json.dumps(message).encode() + b'\0')
        deadline = time.time() + PATIENCE
        while True:
            answer = self.read(deadline)
            if answer is None:
                raise RuntimeError('no answer to ' + method)
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError('%s: %s' % (method, answer['error'].get('message')))
                return answer['result']
            self.events.append(answer)

    def js(self, code):
        answer = self.call('Runtime.evaluate', expression=code, returnByValue=True, awaitPromise=True, userGesture=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError('%s: %s' % (code[:80], answer['exceptionDetails'].get('exception', {}).get('description')))
        return answer['result'].get('value')

    def open(self, url):
        self.events = []
        self.call('Page.navigate', url=url)
        deadline = time.time() + PATIENCE
        while not any(e.get('method') == 'Page.loadEventFired' for e in self.events):
            event = self.read(deadline)
            if event is None:
                raise RuntimeError('no load event of ' + url)
            self.events.append(event)

    def until(self, code, seconds=5):
        deadline = time.time() + seconds
        while time.time() < deadline:
            try:
                if self.js(code):
                    return True
            except RuntimeError:             # between two pages there is nothing to ask
                pass
            time.sleep(0.05)
        return False

    def key(self, name, text=None, code=0, modifiers=0):
        common = dict(key=name, windowsVirtualKeyCode=code, modifiers=modifiers)
        self.call('Input.dispatchKeyEvent', type='keyDown', **common, **({'text': text} if text else {}))
        self.call('Input.dispatchKeyEvent', type='keyUp', **common)

    def tab(self, back=False):
        self.key('Tab', code=9, modifiers=8 if back else 0)

    def enter(self):
        self.key('Enter', text='\r', code=13)

    def type(self, text):
        for c in text:
            self.key(c, text=c)

    def size(self, width, height, mobile=False):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def colours(self, scheme):
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme},
                                                          {'name': 'hover', 'value': 'hover'}])

    def shot(self, file):
        with open(file, 'wb') as f:
            f.write(base64.b64decode(self.call('Page.captureScreenshot', format='png')['data']))

    def close(self):
        try:
            self.call('Browser.close')
            self.process.wait(10)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


# ---- every page, link and anchor ---------------------------------------------------------------------------------------

FACTS = '''(() => ({
  links: Array.from(document.querySelectorAll('a[href]'), a => a.getAttribute('href') + '\\n' + a.href),
  ids: Array.from(document.querySelectorAll('[id]'), e => e.id),
  pictures: Array.from(document.images, i => { i.loading = 'eager'; return i.src; }),
  h1: document.querySelectorAll('h1').length, title: document.title,
  unnamed: Array.from(document.querySelectorAll('a, button, input'))
    .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label'))).map(e => e.outerHTML.slice(0, 80)),
}))()'''


# What makes a page wider than the screen: the page's width, and the elements that reach beyond it.
WIDE = '''document.documentElement.scrollWidth <= 360 ? '' : document.documentElement.scrollWidth + ' ' +
  Array.from(document.querySelectorAll('main *')).filter(e => e.getBoundingClientRect().right > 361 && !e.closest('pre, .table'))
  .map(e => e.outerHTML.slice(0, 100)).slice(0, 3).join(' ')'''


def files_of(site):
    found = []
    for folder, _, names in os.walk(site):
        found += [os.path.join(folder, n) for n in names if n.endswith('.html')]
    return sorted(found)


def url_of(path):
    return 'file://' + urllib.parse.quote(os.path.abspath(path))


def check_pages(browser, site):
    files = files_of(site)
    check(len(files) > 50, 'the site has pages', len(files))
    facts = {}
    for file in files:
        name = os.path.relpath(file, site)
        browser.open(url_of(file))
        fact = browser.js(FACTS)
        fact['name'] = name
        facts[url_of(file)] = fact
        asked = [e['params']['request']['url'] for e in browser.events if e.get('method') == 'Network.requestWillBeSent']
        outside = [u for u in asked if not u.startswith(('file:', 'data:'))]
        check(not outside, name + ' makes no request outside', outside)
        wrong = [e['params'] for e in browser.events if e.get('method') in ('Runtime.exceptionThrown', 'Log.entryAdded')]
        check(not wrong, name + ' has no error in the console', wrong)
        check(fact['h1'] == 1 and fact['title'], name + ' has one title', fact['h1'])
        check(not fact['unnamed'], name + ': links and buttons have a text', fact['unnamed'])
        missing = [p for p in fact['pictures'] if not os.path.exists(urllib.parse.unquote(p[len('file://'):]))]
        check(not missing, name + ' has its pictures', missing)
        browser.size(360, 740, mobile=True)
        wide = browser.js(WIDE)
        check(not wide, name + ' fits a screen of 360 pixels', wide)
        browser.size(1440, 900)
    reached = {url_of(os.path.join(site, 'index.html'))}
    for fact in facts.values():
        wrong = []
        for line in fact['links']:
            _, href = line.split('\n')
            if href.startswith(('http:', 'https:')):
                continue
            page, _, anchor = href.partition('#')
            reached.add(page)
            target = facts.get(page)
            if not target or anchor and urllib.parse.unquote(anchor) not in target['ids']:
                wrong.append(line)
        check(not wrong, fact['name'] + ': every link leads somewhere', wrong)
    alone = [f['name'] for url, f in facts.items() if url not in reached]
    check(not alone, 'a link leads to every page', alone)


# ---- what a person does -------------------------------------------------------------------------------------------------

def rows(browser):
    return browser.js('Array.from(document.querySelectorAll("#siteResults a b"), b => b.textContent)')


def check_search(browser, index):
    for name in NAMES:
        browser.open(index)
        browser.type('/')
        browser.type(name)
        browser.until('document.querySelectorAll("#siteResults a").length > 0')
        found = rows(browser)
        check(found and found[0] == name, 'the search finds %s first' % name, found[:3])
        browser.enter()
        arrived = browser.until('document.readyState === "complete" && decodeURIComponent(location.hash) === '
                                + json.dumps('#' + name))
        check(arrived, 'Enter leads to %s' % name, browser.js('location.href'))
        top = browser.js('(document.getElementById(%s) || document.body).getBoundingClientRect().top' % json.dumps(name))
        check(0 <= top < browser.js('innerHeight'), '%s is in sight, below the bar' % name, top)
    browser.open(index)
    browser.type('/')
    for query, want in (('linear', 'nn.Linear'), ('maxpool', 'nn.SpatialMaxPooling'), ('fourier', 'Fourier transforms'),
                        ('file formats', 'File formats')):
        browser.js('document.getElementById("siteSearch").value = ""')
        browser.type(query)
        browser.until('document.querySelectorAll("#siteResults a").length > 0')
        check(any(want in row for row in rows(browser)), 'a search for "%s" finds %s' % (query, want), rows(browser)[:5])
    browser.js('document.getElementById("siteSearch").value = ""')
    browser.type('qqqzzz')
    check(browser.js('/No name/.test(document.getElementById("siteResults").textContent)'), 'a search without results says so')


def focus(browser):
    return browser.js('document.activeElement.className || document.activeElement.id || document.activeElement.tagName')


def check_keyboard(browser, index):
    browser.open(index)
    browser.tab()
    check(focus(browser) == 'skip', 'the first Tab reaches the link that skips the bar', focus(browser))
    check(browser.js('document.activeElement.getBoundingClientRect().top >= 0'), 'it is visible then')
    browser.enter()
    check(browser.until('location.hash === "#siteText"'), 'Enter skips to the text')
    browser.tab()
    inside = browser.js('document.getElementById("siteText").contains(document.activeElement)')
    check(inside, 'the next Tab is inside the text', focus(browser))
    browser.open(index)
    seen = []
    for _ in range(8):
        browser.tab()
        seen.append(focus(browser))
        shown = browser.js('''(() => { const s = getComputedStyle(document.activeElement);
            return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1 })()''')
        check(shown, 'the focus is visible on %s' % seen[-1])
    check('brand' in seen and 'siteSearch' in seen and 'theme' in seen, 'Tab reaches the parts of the bar', seen)
    browser.open(index)
    browser.type('/')
    check(focus(browser) == 'siteSearch', '/ moves the focus into the search', focus(browser))
    browser.type('conv')
    browser.until('document.querySelectorAll("#siteResults a").length > 3')
    chosen = 'Array.from(document.querySelectorAll("#siteResults a")).findIndex(a => a.getAttribute("aria-selected") === "true")'
    check(browser.js(chosen) == 0, 'the first result is chosen')
    browser.key('ArrowDown', code=40)
    browser.key('ArrowDown', code=40)
    check(browser.js(chosen) == 2, 'the arrow down moves the choice', browser.js(chosen))
    browser.key('ArrowUp', code=38)
    check(browser.js(chosen) == 1, 'the arrow up moves it back', browser.js(chosen))
    told = browser.js('document.getElementById("siteSearch").getAttribute("aria-activedescendant")')
    check(told == 'result-1', 'a screen reader learns the choice', told)
    browser.key('Escape', code=27)
    check(browser.js('document.getElementById("siteResults").hidden'), 'Escape closes the results')
    browser.type('/')
    browser.type('conv')
    browser.until('document.querySelectorAll("#siteResults a").length > 3')
    browser.key('ArrowDown', code=40)
    want = browser.js('document.querySelectorAll("#siteResults a")[1].href')
    browser.enter()
    check(browser.until('location.href === %s' % json.dumps(want)), 'Enter opens the chosen result', want)


def check_copy(browser, index):
    browser.call('Browser.grantPermissions', permissions=['clipboardReadWrite', 'clipboardSanitizedWrite'])
    browser.open(index)
    want = browser.js('document.querySelector("pre.code").textContent')
    browser.js('document.querySelector(".copy").click()')
    check(browser.until('document.querySelector(".copy").textContent === "Copied"'), 'a click copies a block of code')
    try:
        check(browser.js('navigator.clipboard.readText()') == want, 'the clipboard has the code')
    except RuntimeError as why:
        print('     the clipboard cannot be read here: %s' % str(why)[:100])


def check_narrow(browser, site):
    browser.size(360, 740, mobile=True)
    browser.open(url_of(os.path.join(site, 'feed.html')))
    shown = 'getComputedStyle(document.getElementById("siteNav")).display !== "none"'
    check(not browser.js(shown), 'the navigation of a narrow screen is closed at first')
    browser.js('document.querySelector("button.menu").focus()')
    browser.enter()
    check(browser.js(shown), 'the button opens it')
    check(browser.js('document.querySelector("button.menu").getAttribute("aria-expanded")') == 'true', 'and says that it is open')
    browser.key('Escape', code=27)
    check(not browser.js(shown), 'Escape closes it')
    small = browser.js('parseFloat(getComputedStyle(document.querySelector("article p")).fontSize)')
    check(small >= 15, 'text has 15 pixels or more', small)
    browser.size(1440, 900)


CONTRAST = '''(() => {
  const parse = c => (c.match(/[\\d.]+/g) || [0, 0, 0]).map(Number);
  const linear = x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  const light = c => { const v = parse(c).slice(0, 3).map(x => linear(x / 255));
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2] };
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor, p = parse(c);
    if (p.length < 4 || p[3] > 0.9) return c } return 'rgb(255,255,255)' };
  const bad = {};
  let least = 99;
  for (const e of document.querySelectorAll('main *, #siteNav a, .toc a, .top a, .top button')) {
    const own = Array.from(e.childNodes).some(n => n.nodeType === 3 && n.textContent.trim());
    const s = getComputedStyle(e);
    if (!own || s.opacity === '0' || s.visibility === 'hidden' || s.display === 'none') continue;
    const a = light(s.color), b = light(ground(e)), r = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    least = Math.min(least, r);
    if (r < 4.5) bad[e.tagName + '.' + e.className] = r.toFixed(2) + ' ' + s.color;
  }
  return { least, bad, ground: light(getComputedStyle(document.documentElement).backgroundColor) };
})()'''


def check_colours(browser, site):
    pages = ['index.html', 'feed.html', 'testing.html', 'reference/nn-activation.html', 'reference/names.html', 'user-ops.html']
    for scheme in 'light', 'dark':
        browser.colours(scheme)
        for name in pages:
            browser.open(url_of(os.path.join(site, name)))
            found = browser.js(CONTRAST)
            check((found['ground'] < 0.1) == (scheme == 'dark'), '%s is %s as the system' % (name, scheme), found['ground'])
            check(not found['bad'], '%s, %s: every text has a contrast of 4.5 or more' % (name, scheme), found['bad'])
    browser.colours('light')
    index = url_of(os.path.join(site, 'index.html'))
    browser.open(index)
    button = 'document.querySelector("button.theme")'
    browser.js(button + '.focus()')
    for want in 'Light', 'Dark':
        browser.enter()
        check(browser.js(button + '.textContent') == want, 'the switch says ' + want, browser.js(button + '.textContent'))
    check(browser.js(CONTRAST)['ground'] < 0.1, 'the switch makes a light page dark')
    browser.open(url_of(os.path.join(site, 'feed.html')))
    check(browser.js(CONTRAST)['ground'] < 0.1, 'the choice holds on the next page')
    browser.js(button + '.click()')
    check(browser.js(CONTRAST)['ground'] > 0.5, 'the third click returns to the colours of the system')


def check_without_scripts(browser, site):
    browser.call('Emulation.setScriptExecutionDisabled', value=True)
    browser.size(360, 740, mobile=True)
    browser.open(url_of(os.path.join(site, 'feed.html')))
    document = browser.call('DOM.getDocument')
    nav = browser.call('DOM.querySelector', nodeId=document['root']['nodeId'], selector='#siteNav a')
    try:
        box = browser.call('DOM.getBoxModel', nodeId=nav['nodeId'])
    except RuntimeError:
        box = None
    check(box, 'without scripts the navigation is open')
    browser.call('Emulation.setScriptExecutionDisabled', value=False)
    browser.size(1440, 900)


# ---- pictures -----------------------------------------------------------------------------------------------------------

def shots(browser, site, folder):
    os.makedirs(folder, exist_ok=True)

    def take(name, page, scheme='light', size=(1440, 900), query=None, menu=False):
        browser.colours(scheme)
        browser.size(*size, mobile=size[0] < 600)
        browser.open(url_of(os.path.join(site, page)))
        if query:
            browser.type('/')
            browser.type(query)
            browser.until('document.querySelectorAll("#siteResults a").length > 0')
        if menu:
            browser.js('document.querySelector("button.menu").click()')
        time.sleep(0.2)
        browser.shot(os.path.join(folder, name + '.png'))

    narrow = (390, 844)
    take('index', 'index.html')
    take('guide', 'feed.html')
    take('reference', 'reference/nn-linear.html')
    take('topics', 'reference/torch.html')
    take('names', 'reference/names.html')
    take('search', 'feed.html', query='linear')
    take('dark', 'feed.html', 'dark')
    take('dark-reference', 'reference/torch-maps.html', 'dark')
    take('dark-search', 'index.html', 'dark', query='learning rate')
    take('narrow', 'feed.html', size=narrow)
    take('narrow-index', 'index.html', size=narrow)
    take('narrow-reference', 'reference/nn-linear.html', size=narrow)
    take('narrow-menu', 'feed.html', size=narrow, menu=True)
    take('narrow-search', 'feed.html', size=narrow, query='adam')


def options(given):
    values = {'-site': 'build/site', '-browser': None, '-shots': None}
    while given:
        name = given.pop(0)
        if name not in values:
            sys.exit("site.py: there is no option '%s', only %s" % (name, ', '.join(values)))
        if not given:
            sys.exit('site.py: %s must have a value, got nothing' % name)
        values[name] = given.pop(0)
    return values


def main():
    values = options(sys.argv[1:])
    site = values['-site']
    if not os.path.exists(os.path.join(site, 'index.html')):
        sys.exit('site.py: -site must be a folder that ./dev docs wrote, got %s' % site)
    command = values['-browser'] or shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')
    if not command or not shutil.which(command):
        sys.exit('site.py: there is no browser; install it with: apt-get install -y chromium')
    browser = Browser(command)
    try:
        browser.size(1440, 900)
        browser.colours('light')
        index = url_of(os.path.join(site, 'index.html'))
        if values['-shots']:
            shots(browser, site, values['-shots'])
            browser.size(1440, 900)
            browser.colours('light')
        check_pages(browser, site)
        check_search(browser, index)
        check_keyboard(browser, index)
        check_copy(browser, index)
        check_narrow(browser, site)
        check_colours(browser, site)
        check_without_scripts(browser, site)
    finally:
        browser.close()
    print('site: %d checks passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
