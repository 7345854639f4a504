// Carries packets between hosts as a long, bad line would: each takes DELAY milliseconds, and of a hundred LOSS get lost. Stands in for
// netem where the kernel has none. Packets come as VXLAN datagrams (RFC 7348), whose network identifier is the number of the link.
// Standard input: `cut N` and `mend N`, each said again when it holds. Usage: node link-relay.mjs ADDRESS DELAY LOSS N=HOST-HOST…
import { createSocket } from 'node:dgram';
import { createInterface } from 'node:readline';

const PORT = 4_789;
const IDENTIFIER_OFFSET = 4;
const [address, delay, loss, ...described] = process.argv.slice(2);
const links = new Map(
  described.map((link) => {
    const [number, ends] = link.split('=');
    return [Number(number), { ends: ends.split('-'), isCut: false }];
  }),
);

const socket = createSocket('udp4');
socket.on('message', (datagram, { address: sender }) => {
  const link = links.get(datagram.readUIntBE(IDENTIFIER_OFFSET, 3));
  if (!link || link.isCut || Math.random() * 100 < Number(loss)) return;
  const receiver = link.ends.find((end) => end !== sender);
  setTimeout(() => {
    if (!link.isCut) socket.send(datagram, PORT, receiver);
  }, Number(delay));
});
socket.bind(PORT, address, () => console.log('ready'));

createInterface(process.stdin)
  .on('line', (line) => {
    const [order, number] = line.split(' ');
    links.get(Number(number)).isCut = order === 'cut';
    console.log(line);
  })
  .on('close', () => process.exit());
