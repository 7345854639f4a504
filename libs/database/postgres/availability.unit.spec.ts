import { Availability, type OpenConnection } from './availability.js';

const LOST = new Error('no answer');

/** One that says how often it was asked. */
function connection(answeredAt: number): OpenConnection & { readonly asked: () => number } {
  let asked = 0;
  return { answeredAt, ask: () => (asked += 1), asked: () => asked };
}

describe('whether a database server answers', () => {
  let availability: Availability;
  beforeEach(() => (availability = new Availability(() => new Promise(() => undefined))));
  afterEach(() => availability.close());

  it('is asked of the connections that are open, when one has failed and none has answered since', () => {
    const [silent, heard] = [connection(1), connection(3)];
    availability.opened(silent);
    availability.failed(LOST, 2);
    expect([silent.asked(), availability.refusal]).toEqual([1, undefined]);
    availability.opened(heard);
    availability.failed(LOST, 2);
    expect([silent.asked(), heard.asked(), availability.refusal]).toEqual([1, 0, undefined]);
  });

  it('ends the wait for connections that are being made as soon as no connection is left that could be used', () => {
    const given: unknown[] = [];
    const pending = (name: string) => ({ giveUpConnecting: (cause: Error) => given.push([name, cause]) });
    const [made, waiting] = [pending('made'), pending('waiting')];
    availability.connecting(made);
    availability.connecting(waiting);
    availability.connected(made);
    availability.failed(LOST, 2);
    expect(availability.refusal?.cause).toBe(LOST);
    expect(given).toEqual([['waiting', availability.refusal]]);
  });
});
