const QUOTE = 0x22;
const COMMA = 0x2c;

/** Follows CSV bytes to tell whether a line break belongs to a quoted field (RFC 4180, section 2.6 and 2.7). */
export class QuoteState {
  private at: 'start of a field' | 'unquoted' | 'quoted' | 'after a quote' = 'start of a field';

  /** Whether the bytes read so far end inside a quoted field. */
  get isOpen(): boolean {
    return this.at === 'quoted';
  }

  /** Reads bytes of the current record, without the line break that may end it. */
  read(bytes: Uint8Array): void {
    for (const byte of bytes) this.step(byte);
  }

  /** Begins the next record. */
  reset(): void {
    this.at = 'start of a field';
  }

  private step(byte: number): void {
    if (this.at === 'quoted') {
      if (byte === QUOTE) this.at = 'after a quote';
    } else if (byte === QUOTE && this.at !== 'unquoted') {
      this.at = 'quoted';
    } else {
      this.at = byte === COMMA ? 'start of a field' : 'unquoted';
    }
  }
}
