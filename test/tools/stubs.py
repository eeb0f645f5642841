#!/usr/bin/env python3
"""test/tools/stubs.py -server COMMAND [-types FOLDER] [-show] FILE... - checks Lua files with the stubs in a language server.

The server is one that speaks LSP on its standard streams: emmylua_ls, or lua-language-server. The files are copied into an empty
workspace whose settings name the stubs, as doc/editors.md says. The last line counts the findings; -show lists them.
"""
import json
import os
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

PATIENCE = 120        # seconds for one answer of the server


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.buffer, self.number, self.published = b'', 0, {}

    def send(self, **message):
        body = json.dumps(dict(message, jsonrpc='2.0')).encode()
        self.process.stdin.write(b'Content-Length: %d\r\n\r\n' % len(body) + body)
        self.process.stdin.flush()

    def read(self, deadline):
        out = self.process.stdout.fileno()
        while True:
            head, mark, rest = self.buffer.partition(b'\r\n\r\n')
            if mark:
                length = int([h for h in head.split(b'\r\n') if h.lower().startswith(b'content-length')][0].split(b':')[1])
                if len(rest) >= length:
                    self.buffer = rest[length:]
                    return json.loads(rest[:length])
            if not select.select([out], [], [], max(0, deadline - time.time()))[0]:
                return None
            piece = os.read(out, 1 << 16)
            if not piece:
                raise RuntimeError('the server ended')
            self.buffer += piece

    def handle(self, message):
        method = message.get('method')
        if method == 'textDocument/publishDiagnostics':
            self.published[message['params']['uri']] = message['params']['diagnostics']
        elif method == 'workspace/configuration':
            self.send(id=message['id'], result=[None for _ in message['params']['items']])
        elif method and 'id' in message:
            self.send(id=message['id'], result=None)

    def ask(self, method, params):
        self.number += 1
        number = self.number
        self.send(id=number, method=method, params=params)
        deadline = time.time() + PATIENCE
        while True:
            message = self.read(deadline)
            if message is None:
                raise RuntimeError('no answer to ' + method)
            if message.get('id') == number and 'method' not in message:
                if 'error' in message:
                    raise RuntimeError('%s: %s' % (method, message['error'].get('message')))
                return message.get('result')
            self.handle(message)

    def listen(self, seconds):
        deadline = time.time() + seconds
        while True:
            message = self.read(deadline)
            if message is None:
                return
            self.handle(message)

    def close(self):
        self.process.kill()
        self.process.wait()


def workspace(folder, types, files):
    settings = {'runtime': {'version': 'LuaJIT'}, 'workspace': {'library': [os.path.abspath(types)]}}
    for name in '.luarc.json', '.emmyrc.json':
        with open(os.path.join(folder, name), 'w') as f:
            json.dump(settings, f)
    copies = []
    for file in files:
        copy = os.path.join(folder, file)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copy(file, copy)
        copies.append(copy)
    return copies


def start(server, folder):
    uri = 'file://' + folder
    capabilities = {'textDocument': {'publishDiagnostics': {}, 'diagnostic': {}}, 'workspace': {'configuration': True}}
    answer = server.ask('initialize', {'processId': os.getpid(), 'rootUri': uri, 'capabilities': capabilities,
                                       'workspaceFolders': [{'uri': uri, 'name': 'check'}]})
    server.send(method='initialized', params={})
    server.listen(8)                         # the server reads the stubs
    return bool(answer['capabilities'].get('diagnosticProvider'))


def findings_of(server, pulls, file):
    uri = 'file://' + file
    with open(file) as f:
        text = f.read()
    document = {'uri': uri, 'languageId': 'lua', 'version': 1, 'text': text}
    server.send(method='textDocument/didOpen', params={'textDocument': document})
    if pulls:
        return server.ask('textDocument/diagnostic', {'textDocument': {'uri': uri}}).get('items', [])
    server.listen(4)
    return server.published.get(uri, [])


def options(given):
    values, files = {'-server': None, '-types': 'types', '-show': False}, []
    while given:
        name = given.pop(0)
        if name == '-show':
            values[name] = True
        elif name in values:
            if not given:
                sys.exit('stubs.py: %s must have a value, got nothing' % name)
            values[name] = given.pop(0)
        elif name.startswith('-'):
            sys.exit("stubs.py: there is no option '%s', only %s" % (name, ', '.join(values)))
        else:
            files.append(name)
    if not values['-server'] or not files:
        sys.exit('usage: stubs.py -server COMMAND [-types FOLDER] [-show] FILE...')
    return values, files


def main():
    values, files = options(sys.argv[1:])
    folder = tempfile.mkdtemp()
    server = Server(values['-server'])
    total = 0
    try:
        copies = workspace(folder, values['-types'], files)
        pulls = start(server, folder)
        for file, copy in zip(files, copies):
            found = findings_of(server, pulls, copy)
            total += len(found)
            if values['-show']:
                for d in found:
                    print('%s:%d: %s [%s]' % (file, d['range']['start']['line'] + 1, d['message'].split('\n')[0], d.get('code')))
    finally:
        server.close()
        shutil.rmtree(folder, ignore_errors=True)
    print('stubs: %d findings in %d files' % (total, len(files)))
    return 1 if total else 0


if __name__ == '__main__':
    sys.exit(main())
