import { once } from 'node:events';
import { createServer } from 'node:http';

/** Someone on this machine who is sent events and accepts them all. */
export class Receiver {
  #server;
  #received = new Set();
  #waiting = [];

  static async open() {
    const receiver = new Receiver();
    receiver.#server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(204).end();
        receiver.#take(request.headers['webhook-id']);
      });
    });
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/`;
  }

  /** Resolves when so many different messages have come. */
  async received(count) {
    while (this.#received.size < count) await new Promise((resolve) => this.#waiting.push(resolve));
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #take(id) {
    this.#received.add(id);
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
