"""Running the tool: each command as a process, or all of a thread as requests to one server
(tests/command_server), which is many times as fast for short commands."""
import json
import os
import socket
import subprocess
import threading
from pathlib import Path

# Room for the answer, which is a number.
ANSWER = 64


class Tool:
    """`server`: the program that is the server, or None. Threads share a Tool; each has a server of
    its own, which ends with it."""

    def __init__(self, program, server=None, environment=None):
        self.program, self.server = str(program), server
        # Runs have threads of their own: with an arena for each, jemalloc takes pages anew each time.
        defaults = {"MALLOC_CONF": "narenas:1"} if server is not None else {}
        self.environment = {**defaults, **os.environ, **(environment or {})}
        self.of_thread = threading.local()

    def run(self, arguments, folder=".", stdin=b"", seconds=120):
        """The CompletedProcess of `sourir ARGUMENTS`, its outputs as bytes, or TimeoutExpired."""
        words = [str(word) for word in arguments]
        if self.server is None:
            return subprocess.run([self.program, *words], cwd=folder, input=stdin, timeout=seconds,
                                  env=self.environment, capture_output=True)
        server = getattr(self.of_thread, "running", None)
        if server is None:
            server = self.of_thread.running = Server(self.server, self.environment)
        done = server.run(words, Path(folder).resolve(), stdin, seconds)
        if done is None or server.ended:
            self.of_thread.running = None
        if done is None:
            raise subprocess.TimeoutExpired(words, seconds)
        return done


class Server:
    def __init__(self, program, environment):
        self.socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self.process = subprocess.Popen([program], stdin=other, env=environment)
        self.ended = False # by the last command

    def __del__(self):
        self.socket.close()
        self.process.wait()

    def run(self, words, folder, stdin, seconds):
        """None if there was no answer in time: then the server is no more."""
        files = [os.memfd_create(name) for name in ("stdin", "stdout", "stderr")]
        try:
            os.pwrite(files[0], stdin, 0)
            request = {"arguments": words, "folder": str(folder)}
            socket.send_fds(self.socket, [json.dumps(request).encode()], files)
            self.socket.settimeout(seconds)
            answer = self.socket.recv(ANSWER)
            self.ended = not answer
            status = int(answer) if answer else self.process.wait()
            return subprocess.CompletedProcess(words, status, *map(contents, files[1:]))
        except TimeoutError:
            self.process.kill()
            return None
        finally:
            for file in files:
                os.close(file)


def contents(file):
    return os.pread(file, os.fstat(file).st_size, 0)
