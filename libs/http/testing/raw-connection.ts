import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection on which a test writes bytes as it likes. */
export class RawConnection {
  private received = '';
  private readonly socket: Socket;
  /** Resolves when the connection is made, though the server may not have taken it up. */
  readonly opened: Promise<void>;
  readonly closed: Promise<void>;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setEncoding('latin1').on('data', (text: string) => (this.received += text));
    this.socket.on('error', () => undefined);
    this.opened = new Promise((resolve) => this.socket.once('connect', () => resolve()));
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  /** Resolves to whether the bytes were taken at once. */
  send(text: string | Buffer): boolean {
    return this.socket.write(text);
  }

  /** Takes the next answer off the connection, with interim ones (1xx) on their own. */
  async answer({ toHead = false } = {}): Promise<Answer> {
    for (;;) {
      const found = this.take(toHead);
      if (found) return found;
      if (this.socket.closed) throw new Error(`closed after ${JSON.stringify(this.received)}`);
      await Promise.race([this.closed, new Promise((resolve) => this.socket.once('data', resolve))]);
    }
  }

  /** Resolves once the server has ended its side. */
  async ended(): Promise<void> {
    if (!this.socket.readableEnded && !this.socket.closed) {
      await Promise.race([this.closed, new Promise((resolve) => this.socket.once('end', resolve))]);
    }
  }

  /** Says that nothing more will be sent; answers can still be read. */
  finish(): void {
    this.socket.end();
  }

  /** Takes nothing more of what the server sends. */
  stopReading(): void {
    this.socket.pause();
  }

  get unread(): string {
    return this.received;
  }

  destroy(): void {
    this.socket.destroy();
  }

  reset(): void {
    this.socket.resetAndDestroy();
  }

  private take(toHead: boolean): Answer | undefined {
    const end = this.received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const [statusLine = '', ...lines] = this.received.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = toHead ? 0 : Number(headers['content-length'] ?? 0);
    if (this.received.length < end + 4 + length) return undefined;
    const body = this.received.slice(end + 4, end + 4 + length);
    this.received = this.received.slice(end + 4 + length);
    return { status: Number(statusLine.split(' ')[1]), headers, body };
  }
}
