/** The first message of a client has no letter for its type. */
export const STARTUP = 'startup';

const LENGTH_BYTES = 4;

/** A whole message of PostgreSQL's protocol (version 3.0, chapter "Message Formats"), with the bytes that it came in. */
export interface ProtocolMessage {
  /** The letter that the protocol gives it, or `startup`. */
  readonly type: string;
  readonly bytes: Buffer;
}

/** Cuts the bytes of one direction of one connection into messages, however they were divided on their way. */
export class MessageReader {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private expectsStartup: boolean) {}

  read(chunk: Buffer): ProtocolMessage[] {
    this.rest = Buffer.concat([this.rest, chunk]);
    const messages: ProtocolMessage[] = [];
    for (let message = this.next(); message; message = this.next()) messages.push(message);
    return messages;
  }

  private next(): ProtocolMessage | undefined {
    const typeBytes = this.expectsStartup ? 0 : 1;
    if (this.rest.length < typeBytes + LENGTH_BYTES) return undefined;
    const length = typeBytes + this.rest.readUInt32BE(typeBytes);
    if (this.rest.length < length) return undefined;
    const bytes = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(length);
    const type = this.expectsStartup ? STARTUP : bytes.toString('latin1', 0, 1);
    this.expectsStartup = false;
    return { type, bytes };
  }
}

/** Remembers the statements of one connection by the names that its client gave them. */
export class StatementNames {
  private readonly statements = new Map<string, string>();
  private bound = '';

  /** The SQL that a message of the client carries or goes on with; empty for one that belongs to none. */
  statementOf(message: ProtocolMessage): string {
    const [first = '', second = ''] = textsOf(message);
    switch (message.type) {
      case 'Q':
        return first;
      case 'P':
        this.statements.set(first, second);
        return second;
      case 'B':
        return (this.bound = this.statements.get(second) ?? '');
      case 'D':
      case 'E':
        return this.bound;
      default:
        return '';
    }
  }
}

/** `COMMIT` or `INSERT 0 1` of a server's CommandComplete; empty for any other message. */
export function commandTagOf(message: ProtocolMessage): string {
  return message.type === 'C' ? (textsOf(message)[0] ?? '') : '';
}

/** The same message of a client, Query or Parse, with a statement that the server refuses with this SQLSTATE. */
export function withFailingStatement(message: ProtocolMessage, sqlstate: string): Buffer {
  const failing = `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${sqlstate}'; END $$`;
  const [name = ''] = textsOf(message);
  return message.type === 'Q' ? findMessage('Q', `${failing}\0`) : findMessage('P', `${name}\0${failing}\0\0\0`);
}

/** What a server says that ends a connection for this reason. */
export function fatalError(sqlstate: string): Buffer {
  return findMessage('E', `SFATAL\0VFATAL\0C${sqlstate}\0Mrefused for a test\0\0`);
}

function findMessage(type: string, text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.alloc(1 + LENGTH_BYTES);
  head.write(type, 'latin1');
  head.writeUInt32BE(LENGTH_BYTES + body.length, 1);
  return Buffer.concat([head, body]);
}

/** The texts at the beginning of a message, each of which ends with a zero byte. */
function textsOf({ bytes }: ProtocolMessage): string[] {
  return bytes.toString('utf8', 1 + LENGTH_BYTES).split('\0', 2);
}
