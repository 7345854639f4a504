import { execFileSync, spawnSync } from 'node:child_process';
import { networkInterfaces, tmpdir } from 'node:os';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { namespacePrefix } from '../../cleanup/network-namespaces.mjs';
import type { ServerHost } from '../../databases/server-host.js';
import { notRun } from '../system/not-run.js';
import { createLinks, ip, type Link, type NamespaceHost } from './links.fixture.js';

/** A host that an instance runs on, and its ways to the host of the servers, each of which can be cut. */
export interface InstanceHost extends ServerHost {
  readonly toPostgres: Link;
  readonly toRedis: Link;
}

export interface HostNetwork {
  /** For PostgreSQL and Redis. */
  readonly data: ServerHost;
  readonly instances: readonly [InstanceHost, InstanceHost];
}

/** Of RFC 2544: for tests alone, routed nowhere. */
const TEST_NETWORKS = '198.18';
const TESTS = 254;

let made = 0;

/** `describe` where hosts can be had. Elsewhere it is said what is not run, and in CI it fails. */
export function describeOnHosts(name: string, tests: () => void): void {
  describeInNamespaces(name, ['ip', 'ethtool'], tests);
}

/** The same for what needs namespaces of the system, and these programs. */
export function describeInNamespaces(name: string, programs: readonly string[], tests: () => void): void {
  const reason = whyNoNamespaces(programs);
  if (reason === undefined) describe(name, tests);
  else describe(name, () => it('need hosts of their own', () => notRun(name, reason)));
}

function whyNoNamespaces(programs: readonly string[]): string | undefined {
  if (process.platform !== 'linux') return 'only Linux has namespaces';
  if (process.getuid?.() !== 0) return 'only root may make namespaces';
  const missing = programs.find((program) => spawnSync(program, ['--version']).error);
  return missing && `${missing} is not installed`;
}

/** Makes two hosts for instances and one for their servers; all of it is removed at the end, also what runs there. */
export async function createHostNetwork(): Promise<HostNetwork> {
  made += 1;
  const prefix = `${namespacePrefix(tmpdir())}${made}-`;
  const subnet = freeSubnet();
  const make = (name: string, number: number): NamespaceHost => {
    const namespace = prefix + name;
    execFileSync('ip', ['netns', 'add', namespace]);
    closeAtEnd(() => execFileSync('ip', ['netns', 'delete', namespace]));
    ip(namespace, 'link set dev lo up');
    return { namespace, address: `${subnet}.${number}`, enter: ['ip', 'netns', 'exec', namespace] };
  };
  const middle = make('middle', 1);
  ip(middle.namespace, 'link add name bridge0 type bridge', `address add ${middle.address}/24 dev bridge0`, 'link set dev bridge0 up');
  const [data, first, second] = [make('data', 2), make('first', 3), make('second', 4)];
  for (const [number, { namespace, address }] of [data, first, second].entries()) {
    ip(namespace, `link add name plain type veth peer name port${number} netns ${middle.namespace}`);
    ip(namespace, `address add ${address}/24 dev plain`, 'link set dev plain up');
    ip(middle.namespace, `link set dev port${number} master bridge0 up`);
  }
  letTestsIn(middle, `${subnet}.${TESTS}/24`);
  const links = await createLinks(
    [first, first, second, second].map((near) => ({ near, far: data })),
    middle,
  );
  const [firstToPostgres, firstToRedis, secondToPostgres, secondToRedis] = links as [Link, Link, Link, Link];
  return {
    data,
    instances: [
      { ...first, toPostgres: firstToPostgres, toRedis: firstToRedis },
      { ...second, toPostgres: secondToPostgres, toRedis: secondToRedis },
    ],
  };
}

/** Gives this machine an address in the network of the hosts. */
function letTestsIn({ namespace }: NamespaceHost, address: string): void {
  const name = `adoption${process.pid}`;
  execFileSync('ip', ['link', 'add', 'name', name, 'type', 'veth', 'peer', 'name', 'tests', 'netns', namespace]);
  // It goes with its other end, but not at once.
  closeAtEnd(() => execFileSync('ip', ['link', 'delete', 'dev', name]));
  ip(namespace, 'link set dev tests master bridge0 up');
  execFileSync('ip', ['-batch', '-'], { input: `address add ${address} dev ${name}\nlink set dev ${name} up\n` });
}

/** One that no other run on this machine uses. */
function freeSubnet(): string {
  const used = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
  for (;;) {
    const subnet = `${TEST_NETWORKS}.${Math.floor(Math.random() * 256)}`;
    if (!used.some((address) => address.startsWith(`${subnet}.`))) return subnet;
  }
}
