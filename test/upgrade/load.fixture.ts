import { EventEmitter, once } from 'node:events';
import type { ApiClient } from '../e2e/api-client.fixture.js';

const CLIENTS = 4;

/** An instance that requests are sent to. */
export interface Target {
  readonly name: string;
  readonly client: ApiClient;
}

/**
 * Clients that do the same over and over: add an animal at one instance, then read it and the number of animals at another. Every
 * pair of instances gets its turn, in both directions.
 */
export class Load {
  /** What went wrong, one sentence each. */
  readonly problems: string[] = [];
  /** How often an animal was added at the first and seen at the second instance, by `first -> second`. */
  readonly exchanges = new Map<string, number>();
  private acknowledged = 0;
  private turn = 0;
  private ended = false;
  private readonly underWay = new Set<Promise<void>>();
  private readonly clients: readonly Promise<void>[];
  private readonly ticks = new EventEmitter().setMaxListeners(0);

  /** @param already how many animals there are before the first is added */
  constructor(
    private targets: readonly Target[],
    private readonly already: number,
  ) {
    this.clients = Array.from({ length: CLIENTS }, () => this.run());
  }

  /** How many animals there are. */
  get animals(): number {
    return this.already + this.acknowledged;
  }

  /** Goes on with these instances. Resolves when nothing is under way to any other. */
  async sendTo(...targets: readonly Target[]): Promise<void> {
    this.targets = targets;
    await Promise.all(this.underWay);
  }

  /** Resolves when each instance has seen that many more animals of each, or something has gone wrong. */
  async exchange(times: number): Promise<void> {
    const pairs = this.pairs().map(([writer, reader]) => getName(writer, reader));
    const wanted = new Map(pairs.map((pair) => [pair, (this.exchanges.get(pair) ?? 0) + times]));
    while (this.problems.length === 0 && pairs.some((pair) => (this.exchanges.get(pair) ?? 0) < (wanted.get(pair) ?? 0))) {
      await once(this.ticks, 'exchanged');
    }
  }

  /** Resolves when the last request has been answered. */
  async end(): Promise<void> {
    this.ended = true;
    await Promise.all(this.clients);
  }

  private async run(): Promise<void> {
    while (!this.ended && this.problems.length === 0) {
      const exchange = this.exchangeOnce().catch((error: unknown) => {
        this.problems.push(String(error));
      });
      this.underWay.add(exchange);
      await exchange;
      this.underWay.delete(exchange);
      this.ticks.emit('exchanged');
    }
  }

  private async exchangeOnce(): Promise<void> {
    const pairs = this.pairs();
    const pair = pairs[(this.turn += 1) % pairs.length];
    if (!pair) return;
    const [writer, reader] = pair;
    const added = await writer.client.post('/v1/pets', { name: `animal ${this.turn}`, categoryId: this.turn, status: 'available' });
    if (added.status !== 201) throw new Error(`${writer.name} answered POST with ${added.status}: ${added.text}`);
    this.acknowledged += 1;
    const { animals } = this;
    const [read, counted] = await Promise.all([
      reader.client.get(`/v1/pets/${added.json<{ id: number }>().id}`),
      reader.client.post('/graphql', { query: '{ pets(first: 1) { totalCount } }' }),
    ]);
    if (read.text !== added.text) throw new Error(`${reader.name} gave ${read.status} ${read.text} for ${added.text} of ${writer.name}`);
    const { totalCount } = counted.json<{ data: { pets: { totalCount: number } } }>().data.pets;
    if (totalCount < animals) throw new Error(`${reader.name} counted ${totalCount} of at least ${animals} animals`);
    const name = getName(writer, reader);
    this.exchanges.set(name, (this.exchanges.get(name) ?? 0) + 1);
  }

  private pairs(): readonly (readonly [Target, Target])[] {
    return this.targets.flatMap((writer) => this.targets.map((reader) => [writer, reader] as const));
  }
}

function getName(writer: Target, reader: Target): string {
  return `${writer.name} -> ${reader.name}`;
}
