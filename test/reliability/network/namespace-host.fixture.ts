import { execFileSync } from 'node:child_process';
import type { ServerHost } from '../../databases/server-host.js';

/** A host in a network namespace of its own. All hosts and the tests reach each other at these addresses without delay or loss. */
export interface NamespaceHost extends ServerHost {
  readonly namespace: string;
}

/** Runs commands of `ip` in a namespace. */
export function ip(namespace: string, ...commands: readonly string[]): void {
  execFileSync('ip', ['-n', namespace, '-batch', '-'], { input: `${commands.join('\n')}\n` });
}
