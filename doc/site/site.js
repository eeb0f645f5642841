// doc/site/site.js - the search, the switch of colours, the menu of narrow screens, buttons that copy code.
(function () {
  'use strict';
  var root = document.body.getAttribute('data-root');
  var input = document.getElementById('siteSearch');
  var results = document.getElementById('siteResults');
  var MOST = 40;

  // ---- colours: as the system, light, dark -------------------------------------------------------------------
  var button = document.querySelector('button.theme');
  var names = { '': 'Auto', light: 'Light', dark: 'Dark' };
  var labels = { '': 'as the system', light: 'light', dark: 'dark' };
  function showTheme(theme) {
    if (theme) document.documentElement.setAttribute('data-theme', theme);
    else document.documentElement.removeAttribute('data-theme');
    button.textContent = names[theme];
    button.setAttribute('aria-label', 'Colours: ' + labels[theme]);
  }
  function theme() { return document.documentElement.getAttribute('data-theme') || ''; }
  button.addEventListener('click', function () {
    var next = { '': 'light', light: 'dark', dark: '' }[theme()];
    showTheme(next);
    try {
      if (next) localStorage.setItem('theme', next); else localStorage.removeItem('theme');
    } catch (e) { /* The choice then holds for this page. */ }
  });
  showTheme(names[theme()] ? theme() : '');

  // ---- the menu of narrow screens -----------------------------------------------------------------------------
  var menu = document.querySelector('button.menu');
  function openMenu(open) {
    document.body.classList.toggle('menu-open', open);
    menu.setAttribute('aria-expanded', open ? 'true' : 'false');
  }
  menu.addEventListener('click', function () { openMenu(menu.getAttribute('aria-expanded') !== 'true'); });

  var here = document.querySelector('#siteNav [aria-current]');
  var pages = document.getElementById('siteNav');
  if (here) pages.scrollTop = here.offsetTop - pages.clientHeight / 3;

  // ---- copying code -------------------------------------------------------------------------------------------
  function copyOld(text) {
    var area = document.createElement('textarea');
    area.value = text;
    document.body.appendChild(area);
    area.select();
    var done = document.execCommand('copy');
    document.body.removeChild(area);
    return done;
  }
  document.querySelectorAll('pre.code').forEach(function (pre) {
    var copy = document.createElement('button');
    var text = pre.textContent;
    var box = document.createElement('div');
    box.className = 'box';
    pre.parentNode.insertBefore(box, pre);
    box.appendChild(pre);
    copy.type = 'button';
    copy.className = 'copy';
    copy.textContent = 'Copy';
    function say(word) {
      copy.textContent = word;
      setTimeout(function () { copy.textContent = 'Copy'; }, 1500);
    }
    copy.addEventListener('click', function () {
      if (navigator.clipboard) {
        navigator.clipboard.writeText(text).then(
          function () { say('Copied'); },
          function () { say(copyOld(text) ? 'Copied' : 'Failed'); });
      } else say(copyOld(text) ? 'Copied' : 'Failed');
    });
    box.appendChild(copy);
  });

  // ---- the table of contents marks the section that is being read ------------------------------------------------
  var toc = {};
  document.querySelectorAll('.toc a').forEach(function (a) { toc[decodeURIComponent(a.getAttribute('href').slice(1))] = a; });
  var heads = Array.prototype.filter.call(document.querySelectorAll('main h2[id], main h3[id]'), function (h) { return toc[h.id]; });
  var marked;
  function mark() {
    var now = heads[0];
    for (var i = 0; i < heads.length && heads[i].getBoundingClientRect().top < 120; i++) now = heads[i];
    if (!now || toc[now.id] === marked) return;
    if (marked) marked.classList.remove('here');
    marked = toc[now.id];
    marked.classList.add('here');
    var box = document.querySelector('.toc');
    var top = marked.offsetTop;
    if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 40) box.scrollTop = top - box.clientHeight / 2;
  }
  var waiting = false;
  addEventListener('scroll', function () {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(function () { waiting = false; mark(); });
  }, { passive: true });
  mark();

  // ---- the search -----------------------------------------------------------------------------------------------
  var chosen = -1;
  var loading = false;

  function load() {                          // The index is read when the search is first used.
    if (loading) return;
    loading = true;
    var script = document.createElement('script');
    script.src = root + 'search.js';
    script.onload = search;
    document.head.appendChild(script);
  }

  function within(text, words) {
    return words.every(function (word) { return text.indexOf(word) >= 0; });
  }

  // Smaller is better; undefined where the name does not fit. A word of a name also begins at a capital letter.
  function rankName(name, query, words, sentence) {
    var low = name.toLowerCase();
    var last = low.slice(Math.max(low.lastIndexOf('.'), low.lastIndexOf(':')) + 1);
    if (low === query) return 0;
    if (last === query) return 1;
    if (low.indexOf(query) === 0) return 3;
    if (last.indexOf(query) === 0) return 3.5;
    if (last.indexOf(query) > 0) return 5;
    if (low.indexOf(query) > 0) return 6;
    if (within(low, words)) return 7;
    if (query.length > 2 && within(low + ' ' + sentence.toLowerCase(), words)) return 9;
    return undefined;
  }

  // The list of changes mentions every name, so its sections come last.
  function rankSection(page, title, text, query, words) {
    var rank = rankText(page, title, text, query, words);
    return rank !== undefined && page === 'Changes' ? rank + 20 : rank;
  }

  function rankText(page, title, text, query, words) {
    var low = title.toLowerCase();
    if (low === query) return 2;
    if (low.indexOf(query) === 0) return 4;
    if (query.length > 2 && within(low + ' ' + page.toLowerCase(), words)) return 5.5;
    if (query.length > 2 && within(text.toLowerCase(), words)) return text.toLowerCase().indexOf(query) >= 0 ? 8 : 10;
    return undefined;
  }

  function find(query) {
    var index = window.searchIndex;
    var found = [];
    query = query.toLowerCase().trim();
    var words = query.split(/\s+/);
    index.names.forEach(function (n) {
      var rank = rankName(n[0], query, words, n[2]);
      if (rank !== undefined) found.push({ rank: rank, title: n[0], name: true, note: n[2], url: index.pages[n[1]] + '#' + n[0] });
    });
    index.sections.forEach(function (s) {
      var rank = rankSection(s[2], s[3], s[4], query, words);
      if (rank === undefined) return;
      var at = s[4].toLowerCase().indexOf(words[0]);
      var from = at > 60 ? s[4].indexOf(' ', at - 50) + 1 : 0;
      found.push({ rank: rank, title: s[1] ? s[2] + ' › ' + s[3] : s[2], note: (from ? '… ' : '') + s[4].slice(from, from + 150),
        url: index.pages[s[0]] + (s[1] ? '#' + s[1] : '') });
    });
    found.sort(function (a, b) {
      return a.rank - b.rank || a.title.length - b.title.length || (a.title < b.title ? -1 : a.title > b.title ? 1 : 0);
    });
    return found.slice(0, MOST);
  }

  // Writes a text into an element, its words marked.
  function marks(element, text, words) {
    var low = text.toLowerCase();
    var at = 0;
    while (at < text.length) {
      var next = -1, length = 0;
      words.forEach(function (word) {
        var i = word ? low.indexOf(word, at) : -1;
        if (i >= 0 && (next < 0 || i < next)) { next = i; length = word.length; }
      });
      if (next < 0) break;
      element.appendChild(document.createTextNode(text.slice(at, next)));
      var m = document.createElement('mark');
      m.textContent = text.slice(next, next + length);
      element.appendChild(m);
      at = next + length;
    }
    element.appendChild(document.createTextNode(text.slice(at)));
  }

  function choose(i) {
    var rows = results.querySelectorAll('[role=option]');
    if (rows[chosen]) rows[chosen].setAttribute('aria-selected', 'false');
    chosen = rows.length ? (i + rows.length) % rows.length : -1;
    if (chosen < 0) { input.removeAttribute('aria-activedescendant'); return; }
    rows[chosen].setAttribute('aria-selected', 'true');
    rows[chosen].scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', rows[chosen].id);
  }

  function show(open) {
    results.hidden = !open;
    input.setAttribute('aria-expanded', open ? 'true' : 'false');
    if (!open) { chosen = -1; input.removeAttribute('aria-activedescendant'); }
  }

  function search() {
    var query = input.value.trim();
    results.textContent = '';
    chosen = -1;
    if (!query || !window.searchIndex) { show(false); return; }
    var words = query.toLowerCase().split(/\s+/);
    var found = find(query);
    found.forEach(function (row, i) {
      var a = document.createElement('a');
      var title = document.createElement('b');
      var note = document.createElement('span');
      a.href = root + row.url;
      a.id = 'result-' + i;
      a.tabIndex = -1;
      a.setAttribute('role', 'option');
      a.setAttribute('aria-selected', 'false');
      if (row.name) a.className = 'name';
      marks(title, row.title, words);
      marks(note, row.note, words);
      a.appendChild(title);
      a.appendChild(note);
      results.appendChild(a);
    });
    if (!found.length) {
      var none = document.createElement('p');
      none.textContent = 'No name and no section has these words.';
      results.appendChild(none);
    }
    show(true);
    choose(0);
  }

  input.addEventListener('focus', load);
  input.addEventListener('input', search);
  input.addEventListener('keydown', function (e) {
    if (e.key === 'ArrowDown') { choose(chosen + 1); e.preventDefault(); }
    else if (e.key === 'ArrowUp') { choose(chosen - 1); e.preventDefault(); }
    else if (e.key === 'Enter') {
      var row = results.querySelectorAll('[role=option]')[chosen];
      if (row) { location.href = row.href; show(false); input.blur(); }
      e.preventDefault();
    } else if (e.key === 'Escape') { show(false); input.value = ''; input.blur(); }
  });
  results.addEventListener('click', function () { show(false); });
  document.addEventListener('click', function (e) {
    if (!e.target.closest('.search')) show(false);
  });
  document.addEventListener('keydown', function (e) {
    var typing = /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName);
    if (e.key === '/' && !typing && !e.ctrlKey && !e.metaKey && !e.altKey) {
      input.focus();
      input.select();
      e.preventDefault();
    } else if (e.key === 'Escape') openMenu(false);
  });
})();
