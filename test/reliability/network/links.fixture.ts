import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import type { ServerHost } from '../../databases/server-host.js';

/** Each packet is under way so long, each way, and so many of a hundred get lost. */
const DELAY_MILLISECONDS = 20;
const LOSS_PERCENT = 1;

/** A host in a network namespace of its own. All hosts and the tests reach each other at these addresses without delay or loss. */
export interface NamespaceHost extends ServerHost {
  readonly namespace: string;
}

/** A way between two hosts that delays and loses packets. */
export interface Link {
  /** Where the far host is at this way, and no other. */
  readonly address: string;
  /** Has all packets vanish, both ways: nobody is told, and no connection is closed. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** Which hosts a link joins. */
export interface LinkEnds {
  readonly near: NamespaceHost;
  readonly far: NamespaceHost;
}

/** Runs commands of `ip` in a namespace. */
export function ip(namespace: string, ...commands: readonly string[]): void {
  execFileSync('ip', ['-n', namespace, '-batch', '-'], { input: `${commands.join('\n')}\n` });
}

/** Makes links by a relay in user space, which runs in the middle: not every kernel has netem. */
export async function createLinks(links: readonly LinkEnds[], middle: NamespaceHost): Promise<readonly Link[]> {
  for (const [index, { near, far }] of links.entries()) {
    const number = index + 1;
    const ends = [
      { host: near, address: `198.19.${number}.2`, mac: `02:00:00:00:01:0${number}` },
      { host: far, address: `198.19.${number}.1`, mac: `02:00:00:00:02:0${number}` },
    ] as const;
    join(number, ends[0], ends[1], middle);
    join(number, ends[1], ends[0], middle);
  }
  const order = await startRelay(links, middle);
  return links.map((_, index) => ({
    address: `198.19.${index + 1}.1`,
    cut: () => order(`cut ${index + 1}`),
    mend: () => order(`mend ${index + 1}`),
  }));
}

interface End {
  readonly host: NamespaceHost;
  readonly address: string;
  readonly mac: string;
}

/** Makes the device of one end. What the other is called on the link never gets lost: it would not on a line between routers. */
function join(number: number, { host, address, mac }: End, other: End, middle: NamespaceHost): void {
  const device = `link${number}`;
  ip(
    host.namespace,
    `link add name ${device} type vxlan id ${number} local ${host.address} remote ${middle.address} dstport 4789 dev plain`,
    `link set dev ${device} address ${mac} up`,
    `address add ${address}/30 dev ${device}`,
    `neighbour add ${other.address} lladdr ${other.mac} dev ${device} nud permanent`,
  );
  // The relay passes on bytes, which have to have their checksums already.
  execFileSync('ip', ['netns', 'exec', host.namespace, 'ethtool', '-K', device, 'tx', 'off'], { stdio: 'ignore' });
}

/** Resolves with what gives the relay an order, and waits until it holds. */
async function startRelay(links: readonly LinkEnds[], { address, enter }: NamespaceHost): Promise<(order: string) => Promise<void>> {
  const described = links.map(({ near, far }, index) => `${index + 1}=${near.address}-${far.address}`);
  const words = [resolve('test/reliability/network/link-relay.mjs'), address, `${DELAY_MILLISECONDS}`, `${LOSS_PERCENT}`, ...described];
  const [first = '', ...others] = [...enter, process.execPath, ...words];
  const relay = spawn(first, others, { cwd: tmpdir() });
  relay.stderr.pipe(process.stderr);
  closeAtEnd(() => relay.kill('SIGKILL'));
  const lines = createInterface(relay.stdout);
  await once(lines, 'line');
  return (order) =>
    new Promise((done) => {
      const look = (line: string): void => {
        if (line !== order) return;
        lines.off('line', look);
        done();
      };
      lines.on('line', look);
      relay.stdin.write(`${order}\n`);
    });
}
