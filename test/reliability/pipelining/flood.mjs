// A client that sends all its requests without waiting, on many connections at once. In a process of its own, so that it takes none of the
// time of who measures. Usage: node flood.mjs '{"port", "connections", "requests", "text", "reads"}'; writes a line of JSON once all
// its connections are closed.
import { connect } from 'node:net';
import { clearInterval, setInterval } from 'node:timers';

const ANSWER = 'HTTP/1.1 ';
// What is cut is noticed by writing.
const SIGN_OF_LIFE_MILLISECONDS = 1_000;

const { port, connections, requests, text, reads } = JSON.parse(process.argv[2]);

function countAnswers(socket) {
  let answers = 0;
  let tail = '';
  return new Promise((resolve) => {
    socket.setEncoding('latin1').on('data', (data) => {
      const received = tail + data;
      answers += received.split(ANSWER).length - 1;
      tail = received.slice(1 - ANSWER.length);
    });
    socket.once('close', () => resolve(answers));
  });
}

function waitForCut(socket) {
  socket.pause();
  const signs = setInterval(() => socket.write('G'), SIGN_OF_LIFE_MILLISECONDS);
  return new Promise((resolve) => {
    socket.once('close', () => {
      clearInterval(signs);
      resolve(0);
    });
  });
}

function send() {
  const socket = connect(port, '127.0.0.1', () => socket.write(text.repeat(requests)));
  socket.on('error', () => undefined);
  return reads ? countAnswers(socket) : waitForCut(socket);
}

const answers = await Promise.all(Array.from({ length: connections }, send));
process.stdout.write(`${JSON.stringify({ answered: answers.reduce((sum, count) => sum + count, 0) })}\n`);
