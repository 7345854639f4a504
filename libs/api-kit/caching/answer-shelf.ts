/** The content of an answer with the headers that its handler gave it. */
export interface KeptAnswer {
  readonly content: Buffer | string;
  readonly headers: Readonly<Record<string, string>>;
}

const MOST_BYTES = 16_000_000;
// For the headers of an answer and the objects around it.
const BYTES_BESIDE = 1_000;

/** The answers made from one revision of a read model, by the name of the request. 16 MB at the most; the oldest goes first. */
export class AnswerShelf {
  private readonly answers = new Map<string, KeptAnswer>();
  private bytes = 0;

  constructor(readonly revision: bigint) {}

  get(name: string): KeptAnswer | undefined {
    return this.answers.get(name);
  }

  keep(name: string, answer: KeptAnswer): void {
    if (this.answers.has(name)) return;
    this.answers.set(name, answer);
    this.bytes += bytesOf(name, answer);
    for (const [oldest, kept] of this.answers) {
      if (this.bytes <= MOST_BYTES) return;
      this.answers.delete(oldest);
      this.bytes -= bytesOf(oldest, kept);
    }
  }
}

/** The shelf of each read model, empty again with every revision. */
export class AnswerShelves {
  private readonly shelves = new Map<string, AnswerShelf>();

  /** @param revision the read model's, asked for after the request came and before anything is read for its answer */
  at(readModel: string, revision: bigint): AnswerShelf {
    const known = this.shelves.get(readModel);
    if (known?.revision === revision) return known;
    const shelf = new AnswerShelf(revision);
    this.shelves.set(readModel, shelf);
    return shelf;
  }
}

function bytesOf(name: string, { content }: KeptAnswer): number {
  return content.length + name.length + BYTES_BESIDE;
}
