import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Exchange } from '../exchange/exchange.js';
import { lingerAtEnd } from './lingering-close.js';
import type { Turns } from './turns.js';

/** Requests of a connection that are under way at once. Those behind them wait unparsed. */
export const MOST_UNANSWERED = 32;
/** Requests of a connection that are taken on in one turn of the event loop. */
const MOST_IN_A_TURN = 4;
/** What llhttp takes from its callback for a complete head as the order to stop there; in a `clientError` the code of that. */
const PAUSE = { returned: 21, code: 'HPE_PAUSED' } as const;
const NOTHING = Buffer.alloc(0);

interface ParsedHead extends IncomingMessage {
  /** It asks for another protocol, or is a CONNECT. */
  readonly upgrade?: boolean;
}

/** Node's parser of a connection, as far as it can be made to stop between two requests. See docs/adr/0020-pipelines-held-at-the-parser.md. */
interface Parser {
  /** Called for every complete head. */
  onIncoming: (incoming: ParsedHead, keepAlive: boolean) => number;
  resume(): void;
}

/** A socket of Node's HTTP server. */
export interface ParsedSocket extends Socket {
  /** Null once the connection is closed or no longer HTTP. */
  readonly parser: Parser | null;
  /** Whether Node does not want to be given anything, since answers to later requests wait behind an earlier one's. */
  readonly _paused?: boolean;
}

export interface PipelineOptions {
  readonly turns: Turns;
  readonly requestTimeoutMilliseconds: number;
  /** How long a held connection may stand without its client taking a byte. */
  readonly unreadTimeoutMilliseconds: number;
  readonly idleTimeoutMilliseconds: number;
  /** Called where a request that was held does not arrive in time once the connection is read again. */
  readonly onOverdue: (error: NodeJS.ErrnoException, socket: Socket) => void;
}

interface HeldRequest {
  readonly incoming: ParsedHead;
  readonly keepAlive: boolean;
}

/** What Node says of bytes it stopped at. */
interface ParserStop extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const pipelines = new WeakMap<Duplex, Pipeline>();

/** Bounds what a connection may ask for at once. Call it when Node's server has taken the connection, before anything is read of it. */
export function openPipeline(socket: ParsedSocket, options: PipelineOptions): void {
  if (socket.parser) pipelines.set(socket, new Pipeline(socket, socket.parser, options));
}

/** The pipeline of a connection that a server has taken. */
export function pipelineOf(socket: Duplex): Pipeline | undefined {
  return pipelines.get(socket);
}

/**
 * The requests of one connection. So many are taken on at once; while these are not answered, or their answers not read, the
 * connection is not read, and what was read of it beyond them is kept as bytes.
 */
class Pipeline {
  /** The exchange whose head was parsed last. */
  latest: Exchange | undefined;
  private unanswered = 0;
  /** How many unanswered requests there may be until its next turn. */
  private room = MOST_IN_A_TURN;
  private readonly takeOn: Parser['onIncoming'];
  /** Its head is parsed, and nobody knows of it yet. */
  private held: HeldRequest | undefined;
  /** What was read behind the head of the held request; undefined while nothing is held back. */
  private unparsed: Buffer | undefined;
  /** That the held request is late, while it is only not read. */
  private overdue: NodeJS.ErrnoException | undefined;
  private wasEverHeld = false;

  constructor(
    private readonly socket: ParsedSocket,
    parser: Parser,
    private readonly options: PipelineOptions,
  ) {
    this.takeOn = parser.onIncoming;
    parser.onIncoming = (incoming, keepAlive) => this.receive(incoming, keepAlive);
  }

  /** To be called when a request is handled. */
  begin(exchange: Exchange): void {
    this.latest = exchange;
    this.unanswered += 1;
  }

  /** To be called when its exchange is over. */
  end(): void {
    this.unanswered -= 1;
    if (this.unanswered === 0) this.room = MOST_IN_A_TURN;
    this.queue();
  }

  /** Takes a `clientError` that only tells that the connection is held. */
  takes(error: ParserStop): boolean {
    if (error.code === PAUSE.code && error.rawPacket) {
      this.hold(error.rawPacket.subarray(error.bytesParsed));
      return true;
    }
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT' || this.unparsed === undefined) return false;
    this.overdue = error;
    return true;
  }

  /** Hands over the held request and parses on, unless something came in between. */
  goOn(): void {
    const { socket, held, unparsed, overdue } = this;
    if (!socket.parser || unparsed === undefined || !this.mayGoOn) return;
    this.unparsed = undefined;
    this.overdue = undefined;
    this.room = this.unanswered + MOST_IN_A_TURN;
    socket.setTimeout(this.options.idleTimeoutMilliseconds);
    socket.parser.resume();
    socket.resume();
    if (held) this.deliver(held);
    // Node may have paused it again, and must then be given nothing.
    if (socket._paused) this.hold(unparsed);
    // Node's server parses what the socket emits, also where the parser reads the connection itself.
    else if (this.socket.parser) socket.emit('data', unparsed);
    if (held && overdue) this.awaitRest(held.incoming, overdue);
  }

  private receive(incoming: ParsedHead, keepAlive: boolean): number {
    if (this.hasRoom) return this.takeOn(incoming, keepAlive);
    if (incoming.upgrade) {
      // The parser stops behind it anyway, and cannot be told to do so before it.
      this.hold(NOTHING);
      return this.takeOn(incoming, keepAlive);
    }
    this.held = { incoming, keepAlive };
    return PAUSE.returned;
  }

  private get hasRoom(): boolean {
    return this.unanswered < this.room && this.isRead && !this.socket.isPaused();
  }

  private get mayGoOn(): boolean {
    return this.unanswered <= MOST_UNANSWERED - MOST_IN_A_TURN && this.isRead && this.socket._paused !== true;
  }

  /** Whether the client takes answers, and is given further ones. */
  private get isRead(): boolean {
    return this.socket.writable && !this.socket.writableNeedDrain && !this.isClosing;
  }

  /** The last answer of the connection is on its way: what is behind its request must not be processed (RFC 9112 section 9.6). */
  private get isClosing(): boolean {
    return this.unanswered > 0 && this.latest?.response.shouldKeepAlive === false;
  }

  private hold(unparsed: Buffer): void {
    this.unparsed = unparsed;
    if (!this.wasEverHeld) this.watch();
    this.socket.setTimeout(this.options.unreadTimeoutMilliseconds);
    this.socket.pause();
    this.queue();
  }

  private watch(): void {
    this.wasEverHeld = true;
    this.socket.on('drain', () => this.queue());
    // Node resumes a socket whenever a message is read to its end, and then reads it until it is told of a pause; the stream
    // tells that only where it was not paused before.
    this.socket.on('resume', () => {
      if (this.unparsed === undefined) return;
      this.hold(this.unparsed);
      this.socket.emit('pause');
    });
    // With requests unread, it would be reset under the answers.
    lingerAtEnd(this.socket);
  }

  private queue(): void {
    if (this.unparsed !== undefined && this.mayGoOn) this.options.turns.add(this);
  }

  private deliver({ incoming, keepAlive }: HeldRequest): void {
    this.held = undefined;
    this.takeOn(incoming, keepAlive);
  }

  /** Node has looked at its time already, and does not a second time. */
  private awaitRest(incoming: IncomingMessage, error: NodeJS.ErrnoException): void {
    const { requestTimeoutMilliseconds, onOverdue } = this.options;
    setTimeout(() => {
      if (!incoming.complete) onOverdue(error, this.socket);
    }, requestTimeoutMilliseconds).unref();
  }
}
