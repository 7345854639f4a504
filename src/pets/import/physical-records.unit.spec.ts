import fc from 'fast-check';
import { physicalRecords, type PhysicalRecord, type RecordBoundary } from './physical-records.js';

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function split(content: string | Uint8Array, boundary: RecordBoundary, chunkSize = 7): Promise<PhysicalRecord[]> {
  const records: PhysicalRecord[] = [];
  for await (const record of physicalRecords(chunksOf(Buffer.from(content), chunkSize), boundary)) records.push(record);
  return records;
}

function summary(records: readonly PhysicalRecord[]): [number, number, string | undefined][] {
  return records.map(({ line, lastLine, bytes }) => [line, lastLine, bytes?.toString()]);
}

describe('physicalRecords', () => {
  it('splits at line feeds only, whatever the bytes, the line breaks and the chunks', async () => {
    const line = fc
      .uint8Array({ maxLength: 20 })
      .map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0x0a && byte !== 0x0d && byte !== 0xef)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 40 }),
        async (lines, lineBreak, chunkSize) => {
          const content = Buffer.concat(lines.flatMap((bytes) => [bytes, Buffer.from(lineBreak)]));
          const records = await split(content, 'line', chunkSize);
          expect(records.map(({ line: number }) => number)).toEqual(lines.map((_, index) => index + 1));
          expect(records.map(({ bytes }) => bytes)).toEqual(lines);
        },
      ),
    );
  });

  it('keeps quoted line breaks inside a record and numbers the next record by its first physical line', async () => {
    const quoted = fc.array(fc.constantFrom('a', ',', '\n', '\r\n', '""')).map((parts) => `"${parts.join('')}"`);
    const plain = fc.array(fc.constantFrom('a', 'b"', ' ')).map((parts) => `x${parts.join('')}`);
    const record = fc.array(fc.oneof(quoted, plain), { minLength: 1, maxLength: 3 }).map((fields) => fields.join(','));
    await fc.assert(
      fc.asyncProperty(fc.array(record), fc.integer({ min: 1, max: 40 }), async (texts, chunkSize) => {
        const records = summary(await split(texts.map((text) => `${text}\r\n`).join(''), 'line outside quotes', chunkSize));
        let line = 1;
        const expected = texts.map((text) => {
          const first = line;
          line += text.split('\n').length;
          return [first, line - 1, text];
        });
        expect(records).toEqual(expected);
      }),
    );
  });
});
