import { execFileSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { startProgram } from './host-program.fixture.js';
import { ip, type NamespaceHost } from './namespace-host.fixture.js';

/** Each packet is under way so long, each way, and so many of a hundred get lost. */
const DELAY_MILLISECONDS = 20;
const LOSS_PERCENT = 1;

/** A way between two hosts that delays and loses packets. */
export interface Link {
  /** Where the far host is at this way, and no other. */
  readonly address: string;
  /** Has all packets vanish, both ways: nobody is told, and no connection is closed. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** Which hosts a link joins, by a device that has its name at the near one. */
export interface LinkEnds {
  readonly name: string;
  readonly near: NamespaceHost;
  readonly far: NamespaceHost;
}

interface Ends extends LinkEnds {
  readonly number: number;
  readonly farName: string;
}

type Cutter = (link: Ends, isCut: boolean) => Promise<void>;

/** Makes links by a relay in user space, which runs in the middle: not every kernel has netem. */
export async function createLinks(described: readonly LinkEnds[], middle: NamespaceHost): Promise<readonly Link[]> {
  const all = described.map((link, index): Ends => ({ ...link, number: index + 1, farName: `${link.name}${index + 1}` }));
  const setCut = await joinByRelay(all, middle);
  for (const link of all) giveAddresses(link);
  return all.map((link) => ({
    address: farAddress(link),
    cut: () => setCut(link, true),
    mend: () => setCut(link, false),
  }));
}

async function joinByRelay(links: readonly Ends[], middle: NamespaceHost): Promise<Cutter> {
  for (const { number, near, name, far, farName } of links) {
    for (const [{ namespace, address }, device] of [[near, name] as const, [far, farName] as const]) {
      ip(namespace, `link add name ${device} type vxlan id ${number} local ${address} remote ${middle.address} dstport 4789 dev plain`);
      // The relay passes on bytes, which have to have their checksums already.
      execFileSync('ip', ['netns', 'exec', namespace, 'ethtool', '-K', device, 'tx', 'off'], { stdio: 'ignore' });
    }
  }
  const described = links.map(({ number, near, far }) => `${number}=${near.address}-${far.address}`);
  const terms = [middle.address, `${DELAY_MILLISECONDS}`, `${LOSS_PERCENT}`, ...described];
  const relay = await startProgram(middle, 'link-relay.mjs', ...terms);
  const lines = createInterface(relay.stdout);
  return async ({ number }, isCut) => {
    const order = `${isCut ? 'cut' : 'mend'} ${number}`;
    const done = new Promise<void>((resolve) => {
      const look = (line: string): void => {
        if (line !== order) return;
        lines.off('line', look);
        resolve();
      };
      lines.on('line', look);
    });
    relay.stdin.write(`${order}\n`);
    await done;
  };
}

/** What an end is called on the link itself never gets lost: it would not on a line between routers. */
function giveAddresses(link: Ends): void {
  const { number, near, name, far, farName } = link;
  const [nearAddress, nearMac, farMac] = [`198.19.${number}.2`, `02:00:00:00:01:0${number}`, `02:00:00:00:02:0${number}`];
  const configure = (device: string, own: { address: string; mac: string }, other: { address: string; mac: string }) => [
    `link set dev ${device} address ${own.mac} up`,
    `address add ${own.address}/30 dev ${device}`,
    `neighbour add ${other.address} lladdr ${other.mac} dev ${device} nud permanent`,
  ];
  const [nearEnd, farEnd] = [
    { address: nearAddress, mac: nearMac },
    { address: farAddress(link), mac: farMac },
  ];
  ip(near.namespace, ...configure(name, nearEnd, farEnd));
  ip(far.namespace, ...configure(farName, farEnd, nearEnd));
}

function farAddress({ number }: Ends): string {
  return `198.19.${number}.1`;
}
