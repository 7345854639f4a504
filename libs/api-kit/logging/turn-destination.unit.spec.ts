import { setImmediate as nextTurn } from 'node:timers/promises';
import { TurnDestination } from './turn-destination.js';

function recording(): { written: string[]; destination: TurnDestination } {
  const written: string[] = [];
  return { written, destination: new TurnDestination({ write: (text) => void written.push(text) }) };
}

describe('the destination of the log', () => {
  it('gets the lines of a turn of the event loop together, at its end, in order', async () => {
    const { written, destination } = recording();
    destination.write('a\n');
    await Promise.resolve();
    destination.write('b\n');
    expect(written).toEqual([]);
    await nextTurn();
    expect(written).toEqual(['a\nb\n']);
    destination.write('c\n');
    await nextTurn();
    expect(written).toEqual(['a\nb\n', 'c\n']);
  });

  it('gets what is left when the process exits', () => {
    const { written, destination } = recording();
    destination.write('last\n');
    process.emit('exit', 0);
    expect(written).toEqual(['last\n']);
  });
});
