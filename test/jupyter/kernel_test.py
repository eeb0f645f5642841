# test/jupyter/kernel_test.py - the kernel of th under jupyter_kernel_test, the tests of the Jupyter project.
#
# In the checkout: python3 test/jupyter/kernel_test.py. Needs the packages jupyter_kernel_test and nbclient of PyPI. The variable
# TH names the th to test, by default build/bin/th.
import os
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TH = os.path.abspath(os.environ.get("TH") or os.path.join(ROOT, "build", "bin", "th"))
DATA = tempfile.TemporaryDirectory()
os.environ["JUPYTER_DATA_DIR"] = DATA.name          # before jupyter_client reads it

import jupyter_kernel_test  # noqa: E402

subprocess.run([TH, "-l", "jupyter", "-e", "jupyter.install()"], check=True, stderr=subprocess.DEVNULL)


class CressetKernelTests(jupyter_kernel_test.KernelTests):
    kernel_name = "cresset"
    language_name = "lua"
    file_extension = ".lua"
    code_hello_world = "print 'hello, world'"
    code_stderr = "io.stderr:write 'test\\n'"
    completion_samples = [
        {"text": "torch.cumsu", "matches": {"torch.cumsum"}},
        {"text": "local y = math.flo", "matches": {"math.floor"}},
    ]
    complete_code_samples = ["1", "x = 1", "for i = 1, 2 do\n   print(i)\nend", ""]
    incomplete_code_samples = ["for i = 1, 2 do", "print(", "function f()\n   return 1", "x = [[text"]
    invalid_code_samples = ["x = )", "end", "1 = x"]
    code_page_something = "?torch.cumsum"
    code_generate_error = "error 'wrong'"
    code_execute_result = [{"code": "6 * 7", "result": "42"}, {"code": "'a', 1", "result": "a\t1"}]
    code_display_data = [
        {"code": "require 'image'.display(torch.eye(8));", "mime": "image/png"},
        {"code": "require 'jupyter'.display('<b>x</b>', 'text/html')", "mime": "text/html"},
        {"code": "require 'gnuplot'.plot(torch.range(1, 9))", "mime": "image/svg+xml"},
    ]
    code_history_pattern = "6 *?7*"
    supported_history_operations = ("tail", "range", "search")
    code_clear_output = "require 'jupyter'.clear()"
    code_inspect_sample = "torch.cumsum"

    def run_cell(self, code, **options):
        self.flush_channels()
        messages = []
        reply = self.kc.execute_interactive(code, output_hook=messages.append, timeout=30, **{"allow_stdin": False, **options})
        return reply, [m for m in messages if m["msg_type"] not in ("status", "execute_input")]

    def test_table_of_a_tensor(self):
        reply, messages = self.run_cell("torch.Tensor{{1, 2}, {3, 4.5}}")
        data = messages[0]["content"]["data"]
        self.assertIn("<td>4.5</td>", data["text/html"])
        self.assertIn("torch.DoubleTensor of size 2x2", data["text/plain"])

    def test_error_has_the_line_of_the_cell(self):
        reply, messages = self.run_cell("local x = 1\nlocal y = x .. nil\nreturn y")
        content = reply["content"]
        self.assertEqual(content["status"], "error")
        self.assertIn("line 2 of the cell:  local y = x .. nil", content["traceback"])

    def test_output_of_c_and_of_other_processes(self):
        reply, messages = self.run_cell("io.write 'a ' io.stdout:flush() os.execute 'printf b' io.write ' c\\n'")
        text = "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream")
        self.assertEqual(text, "a b c\n")

    def test_input(self):
        self.flush_channels()
        self.kc.execute("local a, b = io.read('*l', '*n') print(b, a)", allow_stdin=True)
        for value in ("first", "12"):
            request = self.kc.get_stdin_msg(timeout=15)
            self.assertEqual(request["msg_type"], "input_request")
            self.kc.input(value)
        reply = self.get_non_kernel_info_reply(timeout=15)
        self.assertEqual(reply["content"]["status"], "ok")

    def test_input_without_a_reader(self):
        reply, _ = self.run_cell("io.read()")
        self.assertIn("sends no input", reply["content"]["evalue"])

    def test_interrupt(self):
        for code in ("while true do end", "local n = 0 while true do n = n + math.sin(n) end", "os.execute 'sleep 60'",
                     "local t = torch.randn(500, 500) while true do t:mm(t, t):clamp(-1, 1) end"):
            self.flush_channels()
            self.kc.execute(code)
            time.sleep(1)
            self.km.interrupt_kernel()
            reply = self.get_non_kernel_info_reply(timeout=20)
            if "sleep" not in code:               # a command that ends early is a result
                self.assertEqual(reply["content"]["ename"], "KeyboardInterrupt", code)
            reply, _ = self.run_cell("1 + 1")
            self.assertEqual(reply["content"]["status"], "ok")

    def test_interrupt_message(self):
        self.flush_channels()
        self.kc.execute("while true do end")
        time.sleep(1)
        message = self.kc.session.msg("interrupt_request", {})
        self.kc.control_channel.send(message)
        reply = self.get_non_kernel_info_reply(timeout=20)
        self.assertEqual(reply["content"]["ename"], "KeyboardInterrupt")
        self.assertEqual(self.kc.get_control_msg(timeout=10)["msg_type"], "interrupt_reply")

    def test_heartbeat_while_a_cell_runs(self):
        self.flush_channels()
        self.kc.hb_channel.unpause()
        self.kc.execute("local t = os.time() + 4 while os.time() < t do end")
        time.sleep(3)
        self.assertTrue(self.kc.hb_channel.is_beating())
        self.assertEqual(self.get_non_kernel_info_reply(timeout=20)["content"]["status"], "ok")

    def test_cells_behind_an_error_are_aborted(self):
        self.flush_channels()
        self.kc.execute("local t = os.time() + 2 while os.time() < t do end error 'first'")
        self.kc.execute("never = true")
        self.assertEqual(self.get_non_kernel_info_reply(timeout=20)["content"]["status"], "error")
        self.assertEqual(self.get_non_kernel_info_reply(timeout=20)["content"]["status"], "aborted")
        time.sleep(1)
        while self.kc.iopub_channel.msg_ready():
            self.kc.get_iopub_msg(timeout=1)
        reply, _ = self.run_cell("x = 1", user_expressions={"n": "never", "wrong": "error 'x'"})
        values = reply["content"]["user_expressions"]
        self.assertEqual(values["n"]["data"]["text/plain"], "nil")
        self.assertEqual(values["wrong"]["status"], "error")

    def test_silent(self):
        count = self.run_cell("0")[0]["content"]["execution_count"]
        reply, messages = self.run_cell("print 'x' return 5", silent=True)
        self.assertEqual(messages, [])
        self.assertEqual(reply["content"]["execution_count"], count)

    def test_notebook(self):
        import nbclient
        import nbformat
        notebook = nbformat.read(os.path.join(ROOT, "examples", "notebook.ipynb"), as_version=4)
        with tempfile.TemporaryDirectory() as folder:
            where = {"metadata": {"path": folder}}
            nbclient.NotebookClient(notebook, timeout=120, kernel_name="cresset", resources=where).execute()
        kinds = {kind for cell in notebook.cells for out in cell.get("outputs", []) for kind in out.get("data", {})}
        self.assertLessEqual({"text/plain", "text/html", "image/png", "image/svg+xml"}, kinds)


if __name__ == "__main__":
    sys.argv[1:1] = ["-v"] if len(sys.argv) == 1 else []
    unittest.main()
