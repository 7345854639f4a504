import fc from 'fast-check';
import { ApplicationError } from '#libs/observability';
import { csvRecords, ndjsonRecords, type ImportRecord } from './import-records.js';
import { MAX_RECORD_BYTES } from './physical-records.js';

type Reader = (source: AsyncIterable<Uint8Array>) => AsyncGenerator<ImportRecord>;

async function read(reader: Reader, ...parts: (string | Uint8Array)[]): Promise<ImportRecord[]> {
  async function* source(): AsyncGenerator<Uint8Array> {
    for (const part of parts) yield Buffer.from(part);
  }
  const records: ImportRecord[] = [];
  for await (const record of reader(source())) records.push(record);
  return records;
}

function fieldOf(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

describe('records of an import', () => {
  it('of NDJSON are its lines but blank ones, which are counted', async () => {
    expect(await read(ndjsonRecords, '{"a":1}\n\n \t\r\n{"b":2}\r\n')).toEqual([
      { line: 1, json: '{"a":1}' },
      { line: 4, json: '{"b":2}' },
    ]);
  });

  describe('csvRecords', () => {
    it.each(['', '1.0', '1e3', '-0', '007', ' 1', '9223372036854775808', 'one'])(
      'leaves the category %j, which is no int64, as text for the rules to refuse',
      async (category) => {
        expect(await read(csvRecords, `name,categoryId\nRex,${category}\n`)).toEqual([
          { line: 2, json: `{"name":"Rex","categoryId":${JSON.stringify(category)}}` },
        ]);
      },
    );

    it('names a record that spans lines by its first one', async () => {
      const records = await read(csvRecords, '\uFEFFname,categoryId\r\n"a\r\nb\n",1\r\n\r\nRex,2\r\n');
      expect(records).toEqual([
        { line: 2, json: '{"name":"a\\r\\nb\\n","categoryId":1}' },
        { line: 6, json: '{"name":"Rex","categoryId":2}' },
      ]);
    });

    it.each([
      ['a"b,1', 'a field with a quote in it must stand in quotes, and that quote must be doubled'],
      ['"a"b,1', 'after a closing quote there must be a comma or the end of the line'],
      ['a', 'the record has 1 fields, the header names 2'],
      ['a,1,2', 'the record has 3 fields, the header names 2'],
    ])('refuses the record %s and continues', async (text, problem) => {
      expect(await read(csvRecords, `name,categoryId\n${text}\nRex,2\n`)).toEqual([
        { line: 2, problem },
        { line: 3, json: '{"name":"Rex","categoryId":2}' },
      ]);
    });

    it('says how far a record runs whose quote is not closed', async () => {
      expect(await read(csvRecords, 'name,categoryId\n"Rex,2\nTom,3')).toEqual([
        { line: 2, problem: 'a quoted field is not closed (the record runs to line 3: is a closing quote missing?)' },
      ]);
    });

    it('refuses the record that is too long, up to its closing quote, and continues', async () => {
      const tooLong = 'x'.repeat(MAX_RECORD_BYTES);
      expect(await read(csvRecords, 'name,categoryId\n', `"${tooLong}`, `\nTom,3\n"\n`, 'Rex,2')).toEqual([
        { line: 2, problem: 'longer than 1 MiB (the record runs to line 4: is a closing quote missing?)' },
        { line: 5, json: '{"name":"Rex","categoryId":2}' },
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
              const record = { line, json: `{"name":${JSON.stringify(text)},"categoryId":${category}}` };
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
