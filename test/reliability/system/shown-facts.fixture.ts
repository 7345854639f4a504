import { setTimeout as delay } from 'node:timers/promises';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import type { Answer, ApiClient } from '../../e2e/api-client.fixture.js';
import { observe } from '../history/clients.fixture.js';

const PAUSE_MILLISECONDS = 5;
const PAGE = 100;
const EVENTS = `/v1/events?type=pet.added&limit=${PAGE}`;

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
    const next = () => this.newestAnimal + 1;
    const looks = [
      (client: ApiClient) => this.lookAtAnimal(client, next()),
      (client: ApiClient) => this.lookByGraphql(client, next()),
      (client: ApiClient) => this.lookAtEvents(client),
    ];
    this.running = Promise.all(clients.flatMap((client) => looks.map((look) => this.repeat(() => look(client)))));
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
      await this.lookAtAnimal(client, id);
      await this.lookByGraphql(client, id);
    }
    this.newestEvent = '0';
    for (let before = ''; before !== this.newestEvent;) {
      before = this.newestEvent;
      await this.lookAtEvents(client);
    }
    const vanished = shown.flatMap(([name, text]) => {
      const now = this.facts.get(name);
      return now === text ? [] : [`${name} was shown as ${text} and is ${now ?? 'not there'}`];
    });
    return [...this.violations, ...vanished];
  }

  private async repeat(look: () => Promise<Answer>): Promise<void> {
    while (!this.isStopping) {
      const before = this.facts.size;
      await observe(look);
      if (this.facts.size === before) await delay(PAUSE_MILLISECONDS);
    }
  }

  private async lookAtEvents(client: ApiClient): Promise<Answer> {
    const answer = await client.get(`${EVENTS}&after=${this.newestEvent}`);
    for (const event of answer.status === 200 ? answer.json<ShownEvent[]>() : []) {
      // In development these name the address of the instance.
      this.note(`event ${event.id}`, JSON.stringify({ ...event, source: undefined, dataschema: undefined }));
      if (BigInt(event.id) > BigInt(this.newestEvent)) this.newestEvent = event.id;
      this.newestAnimal = Math.max(this.newestAnimal, Number(event.subject.slice('pets/'.length)));
    }
    return answer;
  }

  private async lookAtAnimal(client: ApiClient, id: number): Promise<Answer> {
    const answer = await client.get(`/v1/pets/${id}`);
    if (answer.status !== 200) return answer;
    this.note(`animal ${id}`, answer.text);
    this.note(`the ETag of animal ${id}`, String(answer.headers.etag));
    this.newestAnimal = Math.max(this.newestAnimal, id);
    return answer;
  }

  private async lookByGraphql(client: ApiClient, id: number): Promise<Answer> {
    const answer = await client.post('/graphql', { query: `{ pet(id: "${id}") { name } }` });
    if (answer.status === 200 && answer.text.includes('"name"')) this.note(`animal ${id} by GraphQL`, answer.text);
    return answer;
  }

  private note(name: string, text: string): void {
    const before = this.facts.get(name);
    if (before !== undefined && before !== text) this.violations.push(`${name} was shown as ${before} and then as ${text}`);
    this.facts.set(name, text);
  }
}
