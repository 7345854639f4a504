import { once } from 'node:events';
import { createServer } from 'node:net';

// Below those that Linux gives to connections going out, of which none may take the port while nothing listens on it.
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** A port of this machine that nothing listens on, for what is to be reached at one address before and after a restart. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const listens = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!listens) return false;
  server.close();
  await once(server, 'close');
  return true;
}
