import fc from 'fast-check';
import { ApplicationError } from '#libs/observability';
import { csvRecords, MAX_RECORD_BYTES, ndjsonRecords, type ImportRecord } from './import-records.js';

type Reader = (source: AsyncIterable<Uint8Array>) => AsyncGenerator<ImportRecord>;

/** Returns the records with their values, or with the problem of those that cannot be read. */
async function read(reader: Reader, ...parts: (string | Uint8Array)[]): Promise<object[]> {
  async function* source(): AsyncGenerator<Uint8Array> {
    for (const part of parts) yield Buffer.from(part);
  }
  const records: object[] = [];
  for await (const record of reader(source())) records.push({ line: record.line, ...outcomeOf(record) });
  return records;
}

function outcomeOf(record: ImportRecord): object {
  try {
    return { values: record.read() };
  } catch (error) {
    if (error instanceof ApplicationError) return { problem: error.message };
    throw error;
  }
}

function fieldOf(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

describe('records of an import', () => {
  it('of NDJSON are its lines but blank ones, which are counted', async () => {
    expect(await read(ndjsonRecords, '{"name":"Rex","categoryId":1}\n\n \t\r', '\n{"name":"a\u2028b","categoryId":2}\r\n')).toEqual([
      { line: 1, values: { name: 'Rex', categoryId: 1n } },
      { line: 4, values: { name: 'a\u2028b', categoryId: 2n } },
    ]);
  });

  it.each([
    ['NDJSON', ndjsonRecords, '', '{"name":"Rex","categoryId":2}'],
    ['CSV', csvRecords, 'name,categoryId\n', 'Rex,2'],
  ])('of %s are those around one that is not UTF-8', async (_, reader, head, rex) => {
    const before = head === '' ? 0 : 1;
    expect(await read(reader, `\uFEFF${head}`, Buffer.from([0x22, 0xff, 0x22, 0x2c, 0x31, 0x0a]), rex)).toEqual([
      { line: before + 1, problem: 'not valid UTF-8' },
      { line: before + 2, values: { name: 'Rex', categoryId: 2n } },
    ]);
  });

  it('of NDJSON are those around a line that is too long, of which little is kept', async () => {
    const part = 'x'.repeat(MAX_RECORD_BYTES);
    expect(await read(ndjsonRecords, ...Array.from({ length: 5 }, () => part), '"\n{"name":"Rex","categoryId":2}\n')).toEqual([
      { line: 1, problem: 'longer than 1 MiB' },
      { line: 2, values: { name: 'Rex', categoryId: 2n } },
    ]);
  });

  describe('csvRecords', () => {
    it.each(['', '1.0', '1e3', '-0', '007', ' 1', '9223372036854775808', 'one'])(
      'leaves the category %j, which is no int64, as text for the rules to refuse',
      async (category) => {
        expect(await read(csvRecords, `name,categoryId\nRex,${category}\n`)).toEqual([
          { line: 2, values: { name: 'Rex', categoryId: category } },
        ]);
      },
    );

    it('names a record that spans lines by its first one', async () => {
      const records = await read(csvRecords, '\uFEFFname,categoryId\r\n"a\r\nb\n",1\r\n\r\nRex,2\r\n');
      expect(records).toEqual([
        { line: 2, values: { name: 'a\r\nb\n', categoryId: 1n } },
        { line: 6, values: { name: 'Rex', categoryId: 2n } },
      ]);
    });

    it.each([
      ['a', 'the record has 1 fields, the header names 2'],
      ['a,1,2', 'the record has 3 fields, the header names 2'],
    ])('refuses the record %s and continues', async (text, problem) => {
      expect(await read(csvRecords, `name,categoryId\n${text}\nRex,2\n`)).toEqual([
        { line: 2, problem },
        { line: 3, values: { name: 'Rex', categoryId: 2n } },
      ]);
    });

    it.each([
      ['an opening quote', 'a"b,1', 'a field with a quote in it must stand in quotes, and that quote must be doubled'],
      ['a closing quote', '"a"b,1', 'after a closing quote there must be a comma or the end of the line'],
      ['no closing quote', '"a,1', 'a quoted field is not closed'],
      ['its length', `"${'x'.repeat(MAX_RECORD_BYTES)}y",1`, 'longer than 1 MiB (is a closing quote missing?)'],
    ])('reads what is before a record whose end is unknown by %s, and reports the rest as one', async (_, text, problem) => {
      expect(await read(csvRecords, 'name,categoryId\n"Tom\r\n",1\n\n', `${text}\nRex,2\nMax,3\n`, 'Ana,4\n'.repeat(9))).toEqual([
        { line: 2, values: { name: 'Tom\r\n', categoryId: 1n } },
        { line: 5, problem: `${problem}; nothing from this line on was read` },
      ]);
    });

    it.each([
      ['', 'it is missing'],
      ['name;categoryId\n', '"name;categoryId" is not a column'],
      ['name,categoryId,name\n', '"name" stands there twice'],
      ['name,status\n', 'the column "categoryId" is missing'],
      ['name,"categoryId', 'a quoted field is not closed'],
    ])('refuses the whole file for the header %j', async (content, reason) => {
      const reading = read(csvRecords, content);
      await expect(reading).rejects.toBeInstanceOf(ApplicationError);
      await expect(reading).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(reason) });
    });

    it('gives back every name that was written by the rules of CSV, with its line, in whatever chunks it comes', async () => {
      const name = fc.string({ unit: 'grapheme' }).filter((text) => !text.startsWith('\uFEFF'));
      const animal = fc.tuple(name, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
      await fc.assert(
        fc.asyncProperty(
          fc.array(animal),
          fc.constantFrom('\n', '\r\n'),
          fc.integer({ min: 1, max: 40 }),
          async (animals, lineBreak, size) => {
            const rows = animals.map(([text, category]) => `${fieldOf(text)},${category}${lineBreak}`);
            const bytes = Buffer.from(`name,categoryId${lineBreak}${rows.join('')}`);
            const count = Math.ceil(bytes.length / size);
            const records = await read(
              csvRecords,
              ...Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size)),
            );
            let line = 2;
            const expected = animals.map(([text, category], index) => {
              const record = { line, values: { name: text, categoryId: category } };
              line += (rows[index] ?? '').split('\n').length - 1;
              return record;
            });
            expect(records).toEqual(expected);
          },
        ),
      );
    });
  });
});
