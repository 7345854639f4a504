import { until } from '#libs/testing';
import type { ApiClient } from '../e2e/api-client.fixture.js';

const CLIENTS = 4;

/** An instance that requests are sent to. */
export interface Target {
  readonly name: string;
  readonly client: ApiClient;
}

/** Clients that add an animal at one instance, then read it and the number of animals at another: every pair in its turn. */
export class Load {
  /** What went wrong, one sentence each. */
  readonly problems: string[] = [];
  /** How many animals there are. */
  animals: number;
  private turn = 0;
  private ended = false;
  private pairs: readonly { readonly writer: Target; readonly reader: Target; exchanges: number }[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private readonly clients: readonly Promise<void>[];

  /** @param already how many animals there are before the first is added */
  constructor(targets: readonly Target[], already: number) {
    this.animals = already;
    void this.sendTo(...targets);
    this.clients = Array.from({ length: CLIENTS }, () => this.run());
  }

  /** Goes on with these instances. Resolves when nothing is under way to any other. */
  async sendTo(...targets: readonly Target[]): Promise<void> {
    this.pairs = targets.flatMap((writer) => targets.map((reader) => ({ writer, reader, exchanges: 0 })));
    await Promise.all(this.underWay);
  }

  /** Resolves when each instance has seen that many more animals of each, or something has gone wrong. */
  async exchange(times: number): Promise<void> {
    const wanted = this.pairs.map((pair) => ({ pair, exchanges: pair.exchanges + times }));
    await until(() => this.problems.length > 0 || wanted.every(({ pair, exchanges }) => pair.exchanges >= exchanges));
  }

  /** Resolves when the last request has been answered. */
  async end(): Promise<void> {
    this.ended = true;
    await Promise.all(this.clients);
  }

  private async run(): Promise<void> {
    while (!this.ended && this.problems.length === 0) {
      const exchange = this.exchangeOnce().catch((error: unknown) => void this.problems.push(String(error)));
      this.underWay.add(exchange);
      await exchange;
      this.underWay.delete(exchange);
    }
  }

  private async exchangeOnce(): Promise<void> {
    const pair = this.pairs[(this.turn += 1) % this.pairs.length];
    if (!pair) return;
    const { writer, reader } = pair;
    const added = await writer.client.post('/v1/pets', { name: `animal ${this.turn}`, categoryId: this.turn, status: 'available' });
    if (added.status !== 201) throw new Error(`${writer.name} answered POST with ${added.status}: ${added.text}`);
    const animals = (this.animals += 1);
    const [read, counted] = await Promise.all([
      reader.client.get(`/v1/pets/${added.json<{ id: number }>().id}`),
      reader.client.post('/graphql', { query: '{ pets(first: 1) { totalCount } }' }),
    ]);
    if (read.text !== added.text) throw new Error(`${reader.name} gave ${read.status} ${read.text} for ${added.text} of ${writer.name}`);
    const { totalCount } = counted.json<{ data: { pets: { totalCount: number } } }>().data.pets;
    if (totalCount < animals) throw new Error(`${reader.name} counted ${totalCount} of at least ${animals} animals`);
    pair.exchanges += 1;
  }
}
