import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { makeTemporaryFolder } from '../../cleanup/temporary-folder.js';
import type { ServerHost } from '../../databases/server-host.js';
import { randomBetween } from '../system/run-form.js';

/** A name server that knows every name to be this machine, but answers nothing about those that are dark. */
export interface NameServer {
  /** This machine, for programs that ask this server and no other. */
  readonly host: ServerHost;
  /** Has it answer no query of names that begin so from now on. */
  darken(prefix: string): void;
  /** The dark names that it was asked for so far. */
  darkNames(): ReadonlySet<string>;
}

const PORT = 53;
const TYPE_A = 1;
const HEAD_BYTES = 12;
/** An answer without an error, by a server that asks others where it has to. */
const FLAGS = 0x8180;
/** The name of the question, of type A in the internet, for no time at all, as four bytes. */
const THIS_MACHINE = Buffer.from([0xc0, HEAD_BYTES, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);

/** Starts one at an address of loopback of its own. Only root can have programs ask it. */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  const dark = new Set<string>();
  let prefix: string | undefined;
  socket.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    const { name, end, type } = readQuestion(query);
    if (prefix !== undefined && name.startsWith(prefix)) dark.add(name);
    else socket.send(answerTo(query, end, type), port, address);
  });
  const address = `127.53.${randomBetween(0, 255)}.${randomBetween(1, 254)}`;
  socket.bind(PORT, address);
  await once(socket, 'listening');
  closeAtEnd(() => socket.close());
  const file = join(makeTemporaryFolder('names'), 'resolv.conf');
  await writeFile(file, `nameserver ${address}\n`);
  return {
    host: { address: '127.0.0.1', enter: ['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc/resolv.conf && exec "$@"', file] },
    darken: (start) => (prefix = start),
    darkNames: () => dark,
  };
}

/** RFC 1035 section 4.1: after the head, labels with their lengths before them, then the type and the class. */
function readQuestion(query: Buffer): { readonly name: string; readonly end: number; readonly type: number } {
  const labels: string[] = [];
  let at = HEAD_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5, type: query.readUInt16BE(at + 1) };
}

function answerTo(query: Buffer, end: number, type: number): Buffer {
  const answers = type === TYPE_A ? [THIS_MACHINE] : [];
  const head = Buffer.alloc(HEAD_BYTES);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(FLAGS, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(answers.length, 6);
  return Buffer.concat([head, query.subarray(HEAD_BYTES, end), ...answers]);
}
