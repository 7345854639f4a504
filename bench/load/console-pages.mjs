import { clearInterval, setInterval } from 'node:timers';

const POLL_MILLISECONDS = 1_000;

/** Open pages of the operators' console, which ask as those in browsers do. */
export class ConsolePages {
  /** @param address of the console, such as `http://127.0.0.1:9464/console` */
  constructor(address, headers, pages) {
    this.pages = Array.from({ length: pages }, () => new ConsolePage(address, headers));
  }

  /** Resolves once each has had an answer; those that are open already stay. @throws Error where one is refused */
  async open() {
    await Promise.all(this.pages.map((page) => page.open()));
  }

  /** @throws Error where one was refused meanwhile */
  close() {
    for (const page of this.pages) page.close();
  }
}

class ConsolePage {
  after = 0;

  constructor(address, headers) {
    this.address = address;
    this.headers = headers;
  }

  async open() {
    if (this.timer) return;
    await this.poll();
    this.timer = setInterval(() => this.poll().catch((error) => (this.failure = error)), POLL_MILLISECONDS);
  }

  close() {
    clearInterval(this.timer);
    this.timer = undefined;
    if (this.failure) throw this.failure;
  }

  async poll() {
    const answer = await fetch(`${this.address}/data?after=${this.after}`, { headers: this.headers });
    if (!answer.ok) throw new Error(`The console answers ${answer.status}.`);
    const { points, log } = await answer.json();
    this.after = points.last;
    if (log?.position !== this.position) await (await fetch(`${this.address}/events`, { headers: this.headers })).json();
    this.position = log?.position;
  }
}
