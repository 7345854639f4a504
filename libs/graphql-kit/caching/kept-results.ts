import { AnswerShelves, type AnswerShelf, type KeptAnswer, type RevisionOf } from '#libs/api-kit';

// Beyond it a document costs more to be remembered than one asks for often.
const LONGEST_NAME = 4_000;
const MOST_NAMES = 1_000;

/** An answer that was made, and the read model that it was made from alone, if there is one. */
export interface MadeAnswer {
  readonly answer: KeptAnswer;
  readonly readModel: string | undefined;
}

/**
 * Results as bytes, by all that the request asked for, until the read model they were made from changes. The first request with a
 * name tells what its result is made from, the second one's is kept: making a page of 20 takes 250 µs, finding it 5.
 */
export class KeptResults {
  private readonly shelves = new AnswerShelves();
  private readonly readModels = new Map<string, string>();

  constructor(private readonly revisionOf: RevisionOf) {}

  /** The answer that is kept, or else the one that `make` makes. */
  async answer(name: string, make: () => Promise<MadeAnswer>): Promise<KeptAnswer> {
    const shelf = await this.shelfOf(name);
    const kept = shelf?.get(name);
    if (kept) return kept;
    const { answer, readModel } = await make();
    if (readModel !== undefined) {
      this.remember(name, readModel);
      shelf?.keep(name, answer);
    }
    return answer;
  }

  /** None where the database cannot be asked: the answer then says so itself. */
  private async shelfOf(name: string): Promise<AnswerShelf | undefined> {
    const readModel = this.readModels.get(name);
    if (readModel === undefined) return undefined;
    return this.revisionOf(readModel).then(
      (revision) => this.shelves.at(readModel, revision),
      () => undefined,
    );
  }

  private remember(name: string, readModel: string): void {
    if (name.length > LONGEST_NAME) return;
    this.readModels.set(name, readModel);
    if (this.readModels.size <= MOST_NAMES) return;
    const [oldest] = this.readModels.keys();
    if (oldest !== undefined) this.readModels.delete(oldest);
  }
}
