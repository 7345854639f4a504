import { connect } from 'node:net';
import { once } from 'node:events';

const END_OF_HEAD = '\r\n\r\n';
// Until when the limits last, which is told with as many digits as are left.
const SECONDS_LEFT = /;t=\d+/g;

/** One connection to a server, on which a request is sent when the one before was answered. */
export class Connection {
  static async open(origin) {
    const { hostname: host, port } = new URL(origin);
    const socket = connect(Number(port), host);
    await once(socket, 'connect');
    return new Connection(socket, `${host}:${port}`);
  }

  constructor(socket, host) {
    this.socket = socket.setEncoding('latin1');
    this.host = host;
  }

  /**
   * Sends one request.
   * @returns status and bytes of its answer, head and body, with one digit for the seconds that a limit lasts
   * @throws Error when the server ends the connection
   */
  async send({ path, method = 'GET', headers = {}, body = '' }) {
    const fields = { host: this.host, ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
    return this.receive();
  }

  receive() {
    return new Promise((resolve, reject) => {
      let text = '';
      const ended = () => reject(new Error(`The service ended the connection after: ${text}`));
      const take = (chunk) => {
        text += chunk;
        const answer = answerIn(text);
        if (answer === undefined) return;
        this.socket.off('data', take).off('close', ended);
        resolve(answer);
      };
      this.socket.on('data', take).once('close', ended);
    });
  }

  close() {
    this.socket.destroy();
  }
}

/** The answer, when it is there as a whole. */
function answerIn(text) {
  const headEnd = text.indexOf(END_OF_HEAD);
  if (headEnd < 0) return undefined;
  const bodyStart = headEnd + END_OF_HEAD.length;
  const head = text.slice(0, bodyStart);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (text.length < bodyStart + length) return undefined;
  return { status: Number(head.slice(9, 12)), bytes: head.replaceAll(SECONDS_LEFT, ';t=0').length + length };
}
