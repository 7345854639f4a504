// Takes connections at this host's own address for itself, as a receiver beside the service would have them, and hands them on.
// Usage: node forward-port.mjs PORT ADDRESS ADDRESS_PORT
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

const [port, address, addressPort] = process.argv.slice(2);
createServer((incoming) => {
  const outgoing = connect(Number(addressPort), address);
  pipeline(incoming, outgoing, incoming, () => undefined);
}).listen(Number(port), '127.0.0.1', () => console.log('ready'));
