import { setTimeout as delay } from 'node:timers/promises';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { ApiClient, type Answer } from '../../e2e/api-client.fixture.js';
import { observe } from '../history/observed-request.fixture.js';

const PAUSE_MILLISECONDS = 5;
const PAGE = 100;

interface ShownEvent {
  readonly id: string;
  readonly subject: string;
}

/**
 * Looks where the next animal will be, in the ways there are, and remembers all that it was shown. Animals must only be added meanwhile, so
 * that whatever was shown once has to be shown ever after.
 */
export class ShownFacts {
  private readonly facts = new Map<string, string>();
  private readonly violations: string[] = [];
  private readonly running: Promise<unknown>;
  private newestAnimal = 0;
  private newestEvent = '0';
  private isStopping = false;

  constructor(clients: readonly ApiClient[]) {
    const looks = [this.lookAtNextAnimal, this.lookAtNextEvents, this.lookByGraphql];
    this.running = Promise.all(clients.flatMap((client) => looks.map((look) => this.repeat(client, look))));
    this.running.catch(() => undefined);
    closeAtEnd(() => void (this.isStopping = true));
  }

  /** Asks for everything once more. Returns one sentence for each thing that was shown and is not, or is something else now. */
  async findVanished(client: ApiClient): Promise<string[]> {
    this.isStopping = true;
    await this.running;
    const shown = [...this.facts];
    this.facts.clear();
    for (let id = 1; id <= this.newestAnimal; id += 1) {
      await this.showAnimal(client, id);
      await this.showByGraphql(client, id);
    }
    for (this.newestEvent = '0'; (await this.lookAtNextEvents(client)) === PAGE;);
    const vanished = shown.flatMap(([name, text]) => {
      const now = this.facts.get(name);
      return now === text ? [] : [`${name} was shown as ${text} and is ${now ?? 'not there'}`];
    });
    return [...this.violations, ...vanished];
  }

  private async repeat(client: ApiClient, look: (client: ApiClient) => Promise<number>): Promise<void> {
    while (!this.isStopping) {
      let shown = 0;
      await observe(async () => {
        shown = await look(client);
        return NOTHING;
      });
      if (shown === 0) await delay(PAUSE_MILLISECONDS);
    }
  }

  private readonly lookAtNextAnimal = (client: ApiClient) => this.showAnimal(client, this.newestAnimal + 1);

  private readonly lookByGraphql = (client: ApiClient) => this.showByGraphql(client, this.newestAnimal + 1);

  private readonly lookAtNextEvents = async (client: ApiClient): Promise<number> => {
    const { status, text } = await client.get(`/v1/events?type=pet.added&after=${this.newestEvent}&limit=${PAGE}`);
    if (status !== 200) return 0;
    const events = JSON.parse(text) as ShownEvent[];
    for (const event of events) {
      // In development these name the address of the instance.
      this.note(`event ${event.id}`, JSON.stringify({ ...event, source: undefined, dataschema: undefined }));
      if (BigInt(event.id) > BigInt(this.newestEvent)) this.newestEvent = event.id;
      this.newestAnimal = Math.max(this.newestAnimal, Number(event.subject.slice('pets/'.length)));
    }
    return events.length;
  };

  private async showAnimal(client: ApiClient, id: number): Promise<number> {
    const { status, text, headers } = await client.get(`/v1/pets/${id}`);
    if (status !== 200) return 0;
    this.note(`animal ${id}`, text);
    this.note(`the ETag of animal ${id}`, String(headers.etag));
    this.newestAnimal = Math.max(this.newestAnimal, id);
    return 1;
  }

  private async showByGraphql(client: ApiClient, id: number): Promise<number> {
    const { status, text } = await client.post('/graphql', { query: `{ pet(id: "${id}") { name } }` });
    if (status !== 200 || !text.includes('"name"')) return 0;
    this.note(`animal ${id} by GraphQL`, text);
    return 1;
  }

  private note(name: string, text: string): void {
    const before = this.facts.get(name);
    if (before !== undefined && before !== text) this.violations.push(`${name} was shown as ${before} and then as ${text}`);
    this.facts.set(name, text);
  }
}

/** What a look is answered with as a whole says nothing. */
const NOTHING: Answer = { status: 200, headers: {}, text: '', json: <Body>() => ({}) as Body };
