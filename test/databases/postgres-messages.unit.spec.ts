import fc from 'fast-check';
import { MessageReader, StatementNames, withFailingStatement } from './postgres-messages.js';

function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(`${type}....${body}`);
  bytes.writeUInt32BE(bytes.length - type.length, type.length);
  return bytes;
}

const STARTUP = message('', '\0\x03\0\0user\0rex\0\0');
const CONVERSATION = [message('P', 'name\0SELECT 1\0\0\0'), message('B', '\0name\0\0\0'), message('E', '\0\0\0\0\0'), message('S', '')];

describe('messages of PostgreSQL', () => {
  it('are the same however their bytes were divided on the way', () => {
    const bytes = Buffer.concat([STARTUP, ...CONVERSATION]);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const reader = new MessageReader(true);
        const ends = [...cuts, bytes.length].sort((one, other) => one - other);
        const messages = ends.flatMap((end, index) => reader.read(bytes.subarray(ends[index - 1] ?? 0, end)));
        expect(messages.map(({ type }) => type)).toEqual(['startup', 'P', 'B', 'E', 'S']);
        expect(Buffer.concat(messages.map((each) => each.bytes))).toEqual(bytes);
      }),
    );
  });

  it('tell of which statement they are', () => {
    const statements = new StatementNames();
    const messages = new MessageReader(false).read(Buffer.concat([...CONVERSATION, message('Q', 'BEGIN\0')]));
    expect(messages.map((each) => statements.statementOf(each))).toEqual(['SELECT 1', 'SELECT 1', 'SELECT 1', '', 'BEGIN']);
  });

  it.each(['P', 'Q'])('of type %s can be given a statement that fails', (type) => {
    const [original] = new MessageReader(false).read(message(type, type === 'P' ? 'name\0SELECT 1\0\0\0' : 'SELECT 1\0'));
    if (!original) throw new Error('The message is not complete.');
    const [failing] = new MessageReader(false).read(withFailingStatement(original, '57014'));
    expect(failing?.type).toBe(type);
    expect(failing && new StatementNames().statementOf(failing)).toContain("ERRCODE = '57014'");
  });
});
