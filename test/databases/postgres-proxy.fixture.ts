import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import {
  commandTagOf,
  fatalError,
  MessageReader,
  STARTUP,
  StatementNames,
  withFailingStatement,
  type ProtocolMessage,
} from './postgres-messages.js';

const DEFAULT_PORT = 5_432;

/** A message that is about to be passed on. */
export interface PassingMessage {
  readonly from: 'client' | 'server';
  /** The letter that PostgreSQL's protocol gives it, or `startup`. */
  readonly type: string;
  /** Its place among those of its sender on its connection, from 1. */
  readonly number: number;
  /** The SQL that a client's message carries or goes on with, the command tag of a server's CommandComplete, or empty. */
  readonly text: string;
  readonly connection: ProxiedConnection;
}

/** A connection by its place among all, from 1. */
interface ProxiedConnection {
  readonly number: number;
}

/**
 * What becomes of a connection at a message. `cut`: both ends are closed, after what came before. `stall`: neither this message nor
 * any after it is passed on, in either direction, and nothing is closed. An SQLSTATE: the server refuses the client's statement with it,
 * or the connection at its first message.
 */
export type Fault = 'cut' | 'stall' | { readonly sqlstate: string };

/** A fault that waits for its message. */
export interface PlannedFault {
  /** Resolves when it has struck. */
  readonly struck: Promise<PassingMessage>;
  readonly hasStruck: boolean;
  /** Takes it back: what was stalled goes on, and what has not struck never does. */
  lift(): void;
}

/** A way to a PostgreSQL server that can be made to fail, as a whole or for one connection, without touching the server. */
export type PostgresProxy = Awaited<ReturnType<typeof openPostgresProxy>>;

/** Listens on a port of its own and passes connections on to the server of `url`. Encrypted connections are not understood. */
export async function openPostgresProxy(url: string) {
  let target = new URL(url);
  const relays = new Set<Relay>();
  const plans = new Set<Plan>();
  const watchers = new Set<(message: PassingMessage) => void>();
  let opened = 0;
  let frozen = false;
  let refusal: { readonly sqlstate: string | undefined } | undefined;

  const look = (message: PassingMessage, relay: Relay): Fault | undefined => {
    for (const see of watchers) see(message);
    const plan = [...plans].find(({ at }) => at(message));
    if (!plan) return undefined;
    plans.delete(plan);
    plan.strike(message, relay);
    return plan.fault;
  };
  const pass = (client: Socket): void => {
    client.on('error', () => undefined);
    if (refusal) {
      client.once('data', () => client.end(refusal?.sqlstate === undefined ? '' : fatalError(refusal.sqlstate)));
      return;
    }
    const upstream = connect(Number(target.port || DEFAULT_PORT), target.hostname);
    const relay = new Relay(client, upstream, (opened += 1), look);
    relays.add(relay);
    void relay.ended.then(() => relays.delete(relay));
    if (frozen) relay.halt();
  };
  let server: Server = createServer(pass).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxied = new URL(url);
  proxied.hostname = '127.0.0.1';
  proxied.port = String(port);

  const cut = (matchesFilter: (connection: ProxiedConnection) => boolean = () => true): void => {
    for (const relay of relays) if (matchesFilter(relay.connection)) relay.destroy();
  };
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  };
  return {
    url: proxied.href,
    /** From now on nothing is passed on, and nothing is closed either: as a server that is stopped by SIGSTOP. */
    freeze() {
      frozen = true;
      relays.forEach((relay) => relay.halt());
    },
    disconnect: stop,
    cut,
    redirect(other: string) {
      target = new URL(other);
      cut();
    },
    /** New connections are ended at once, with a FATAL error of this SQLSTATE where one is given; those that are open go on. */
    refuseConnections: (sqlstate?: string) => (refusal = { sqlstate }),
    /** Plans a fault for one connection: at the first message from now on for which `at` holds. */
    fail(at: (message: PassingMessage) => boolean, fault: Fault): PlannedFault {
      let struckRelay: Relay | undefined;
      let tell: (message: PassingMessage) => void = () => undefined;
      const struck = new Promise<PassingMessage>((resolve) => (tell = resolve));
      const strike = (message: PassingMessage, relay: Relay) => {
        struckRelay = relay;
        tell(message);
      };
      const plan = { at, fault, strike };
      plans.add(plan);
      return {
        struck,
        get hasStruck() {
          return struckRelay !== undefined;
        },
        lift() {
          plans.delete(plan);
          struckRelay?.proceed();
        },
      };
    },
    /** Shows every message that is about to be passed on. Returns what ends that. */
    watch(see: (message: PassingMessage) => void): () => void {
      watchers.add(see);
      return () => watchers.delete(see);
    },
    /** Passes on everything again, also what has waited, and takes new connections. */
    async restore() {
      frozen = false;
      refusal = undefined;
      plans.clear();
      relays.forEach((relay) => relay.proceed());
      if (server.listening) return;
      server = createServer(pass).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close: closeAtEnd(stop),
  };
}

interface Plan {
  readonly at: (message: PassingMessage) => boolean;
  readonly fault: Fault;
  readonly strike: (message: PassingMessage, relay: Relay) => void;
}

/** One of the two senders of a connection. */
interface Side {
  readonly from: PassingMessage['from'];
  readonly socket: Socket;
  readonly other: Socket;
  readonly reader: MessageReader;
  /** Messages that are complete and not yet passed on, each as it is to be shown; without that where it was shown before. */
  readonly waiting: { readonly message: ProtocolMessage; readonly shown?: PassingMessage }[];
  complete: number;
}

/** One connection on its way. */
class Relay {
  readonly ended: Promise<unknown>;
  readonly connection: ProxiedConnection;
  private readonly sides: readonly Side[];
  private readonly statements = new StatementNames();
  private halted = false;
  private isCut = false;

  constructor(
    client: Socket,
    upstream: Socket,
    number: number,
    private readonly look: (message: PassingMessage, relay: Relay) => Fault | undefined,
  ) {
    this.connection = { number };
    this.sides = [
      { from: 'client', socket: client, other: upstream, reader: new MessageReader(true), waiting: [], complete: 0 },
      { from: 'server', socket: upstream, other: client, reader: new MessageReader(false), waiting: [], complete: 0 },
    ];
    for (const side of this.sides) this.listen(side);
    this.ended = Promise.all(this.sides.map(({ socket }) => new Promise((resolve) => socket.on('close', resolve))));
  }

  /** Passes nothing on; nor does one end learn that the other has closed. */
  halt(): void {
    this.halted = true;
    for (const { socket } of this.sides) socket.pause();
  }

  proceed(): void {
    if (this.isCut) return;
    this.halted = false;
    for (const side of this.sides) {
      side.socket.resume();
      this.passOn(side);
      if (side.socket.destroyed) side.other.destroySoon();
    }
  }

  destroy(): void {
    for (const { socket } of this.sides) socket.destroy();
  }

  private listen(side: Side): void {
    const { socket, other, reader, waiting } = side;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (!this.halted) other.destroySoon();
    });
    socket.on('data', (chunk: Buffer) => {
      waiting.push(...reader.read(chunk).map((message) => ({ message, shown: this.describe(side, message) })));
      this.passOn(side);
    });
  }

  /** What came together leaves together. */
  private passOn(side: Side): void {
    side.other.cork();
    while (!this.halted) {
      const next = side.waiting.shift();
      if (!next) break;
      const { message, shown } = next;
      const fault = shown && this.look(shown, this);
      if (fault === 'cut') this.cut();
      else if (typeof fault === 'object' && message.type === STARTUP) {
        side.socket.write(fatalError(fault.sqlstate));
        this.cut();
      } else if (fault === 'stall') {
        side.waiting.unshift({ message });
        this.halt();
      } else side.other.write(fault ? withFailingStatement(message, fault.sqlstate) : message.bytes);
    }
    process.nextTick(() => side.other.uncork());
  }

  private cut(): void {
    this.isCut = true;
    this.halted = true;
    for (const { socket } of this.sides) socket.destroySoon();
  }

  private describe(side: Side, message: ProtocolMessage): PassingMessage {
    side.complete += 1;
    const text = side.from === 'client' ? this.statements.statementOf(message) : commandTagOf(message);
    return { from: side.from, type: message.type, number: side.complete, text, connection: this.connection };
  }
}
