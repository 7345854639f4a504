import type { DocumentNode } from 'graphql';

const CAPACITY = 500;

/** Documents that were parsed and found valid. The one used longest ago goes first; each is bounded by its tokens. */
export class DocumentCache {
  private readonly documents = new Map<string, DocumentNode>();

  constructor(private readonly capacity = CAPACITY) {}

  async get(key: string): Promise<DocumentNode | undefined> {
    const document = this.documents.get(key);
    if (!document) return undefined;
    this.documents.delete(key);
    this.documents.set(key, document);
    return document;
  }

  async set(key: string, document: DocumentNode): Promise<void> {
    this.documents.set(key, document);
    if (this.documents.size <= this.capacity) return;
    const [oldest] = this.documents.keys();
    if (oldest !== undefined) this.documents.delete(oldest);
  }

  async delete(key: string): Promise<boolean> {
    return this.documents.delete(key);
  }
}
