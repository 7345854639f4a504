import { setImmediate as nextTurn } from 'node:timers/promises';
import { CircuitBreaker } from './circuit-breaker.js';

/** A breaker whose probes do what the given ones do, one after the other; the last repeats for ever. */
function breakerWith(...probes: (() => Promise<void>)[]) {
  const told: string[] = [];
  let probed = 0;
  const breaker = new CircuitBreaker({
    probe: () => (probes[probed++] ?? never)(),
    pause: 1,
    timeoutMilliseconds: 5,
    onOpen: (cause) => told.push(String(cause)),
    onClose: () => told.push('closed'),
  });
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await nextTurn();
  };
  return { breaker, told, until, probes: () => probed };
}

const never = () => new Promise<void>(() => undefined);
const fails = () => Promise.reject(new Error('still away'));
const answers = () => Promise.resolve();

describe('CircuitBreaker', () => {
  it('begins closed and asks nothing', async () => {
    const { breaker, told, probes } = breakerWith(answers);
    breaker.close();
    await nextTurn();
    expect({ isOpen: breaker.isOpen, probes: probes(), told }).toEqual({ isOpen: false, probes: 0, told: [] });
  });

  it('is open from the loss on, told once, until a probe is answered', async () => {
    const { breaker, told, until, probes } = breakerWith(fails, fails, answers);
    breaker.open('cut');
    breaker.open('cut again');
    expect(breaker.isOpen).toBe(true);
    await until(() => !breaker.isOpen);
    expect({ probes: probes(), told }).toEqual({ probes: 3, told: ['cut', 'closed'] });
  });

  it('asks again after a probe that does not end', async () => {
    const { breaker, told, until } = breakerWith(never, answers);
    breaker.open('frozen');
    await until(() => !breaker.isOpen);
    expect(told).toEqual(['frozen', 'closed']);
  });

  it('closes at once when the server answers somebody else, whatever becomes of the probe under way', async () => {
    let answer: () => void = () => undefined;
    const { breaker, told, until, probes } = breakerWith(() => new Promise((resolve) => (answer = resolve)));
    breaker.open('cut');
    await until(() => probes() === 1);
    breaker.close();
    expect(breaker.isOpen).toBe(false);
    breaker.open('cut again');
    answer();
    await until(() => probes() === 2);
    expect({ isOpen: breaker.isOpen, told }).toEqual({ isOpen: true, told: ['cut', 'closed', 'cut again'] });
    breaker.end();
  });

  it('does not probe any more once it has ended', async () => {
    const { breaker, told, until, probes } = breakerWith(fails);
    breaker.open('cut');
    await until(() => probes() === 1);
    breaker.end();
    breaker.close();
    breaker.open('cut again');
    const later = breakerWith(answers);
    later.breaker.open('cut');
    await later.until(() => !later.breaker.isOpen);
    expect({ isOpen: breaker.isOpen, probes: probes(), told }).toEqual({ isOpen: true, probes: 1, told: ['cut', 'closed', 'cut again'] });
  });
});
