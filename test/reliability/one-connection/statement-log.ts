/** The settings with which a server writes down what `findStrayStatements` reads: every statement, with its session and transaction. */
export const STATEMENT_LOG_SETTINGS: Readonly<Record<string, string>> = {
  log_statement: 'all',
  log_line_prefix: '%c|%v|%a|',
};

const WRITE_LOCK = '4201337';
const APPLICATION = 'animal-adoption';
const MOST_NAMED = 20;
const MOST_CHARACTERS = 120;

const ENTRY = /^([0-9a-f]+\.[0-9a-f]+)\|([^|]*)\|([^|]*)\|([A-Z]+): {2}(.*)$/;
const STATEMENT = /^(?:statement|execute [^:]*): (.*)$/s;
const BEGINNING = /^\s*(?:BEGIN|START TRANSACTION)\b/i;
const LOCKS_A_CHECKPOINT = /FROM "projection_checkpoints".*FOR UPDATE/s;
/** What a transaction may change that has locked the checkpoint of a projection only. */
const DERIVED_TABLE = /_v\d+(?:_(?:build|retired)_\d+)?$|^projection_checkpoints$/;
const ENDS_A_TRANSACTION: ReadonlySet<string> = new Set(['ERROR', 'FATAL', 'PANIC']);
const CHANGE = /\b(?:INSERT INTO|UPDATE|DELETE FROM|(?:CREATE|ALTER|DROP) TABLE(?: IF (?:NOT )?EXISTS)?) "(\w+)"/;

/** A statement that a server was about to run for the service. */
interface LoggedStatement {
  /** Session and transaction: the same for all statements of one transaction, and for no others. */
  readonly transaction: string;
  text: string;
  parameters: string;
}

/**
 * Reads the log of a server, written with the settings above, for statements of the service that changed a table and took effect apart
 * from the write that they belong to. What an error has rolled back took none.
 * @param from the character that the reading begins at; a transaction that had begun before it is left out
 * @returns one sentence for each change that did not stand in a transaction that had been begun and had asked for the write lock, or for the
 *   checkpoint of the table's projection, and for each transaction into which a second one was begun; at most twenty.
 */
export function findStrayStatements(log: string, from = 0): string[] {
  const earlier = new Set(readLog(log.slice(0, from)).statements.map(({ transaction }) => transaction));
  const { statements, failed } = readLog(log.slice(from));
  const begun = new Set<string>();
  const locked = new Set<string>();
  const lockedCheckpoint = new Set<string>();
  const violations: string[] = [];
  for (const { transaction, text, parameters } of statements) {
    if (failed.has(transaction) || earlier.has(transaction)) continue;
    const says = (what: string) => violations.push(`transaction ${transaction} ${what}: ${text.slice(0, MOST_CHARACTERS)}`);
    if (BEGINNING.test(text)) {
      if (begun.has(transaction)) says('was begun a second time');
      begun.add(transaction);
    }
    if (text.includes('pg_advisory_xact_lock') && `${text}${parameters}`.includes(WRITE_LOCK)) locked.add(transaction);
    if (LOCKS_A_CHECKPOINT.test(text)) lockedCheckpoint.add(transaction);
    const table = CHANGE.exec(text)?.[1];
    if (table === undefined) continue;
    if (!begun.has(transaction)) says(`changed ${table} and was not begun`);
    else if (!locked.has(transaction) && !(lockedCheckpoint.has(transaction) && DERIVED_TABLE.test(table))) {
      says(`changed ${table} without its lock`);
    }
  }
  return violations.slice(0, MOST_NAMED);
}

/** The statements in the order of the log, each with its parameters, and the transactions that ended with an error. */
function readLog(log: string): { readonly statements: readonly LoggedStatement[]; readonly failed: ReadonlySet<string> } {
  const statements: LoggedStatement[] = [];
  const failed = new Set<string>();
  const latest = new Map<string, LoggedStatement>();
  let unfinished: LoggedStatement | undefined;
  for (const line of log.split('\n')) {
    const [, session = '', virtualTransaction = '', application, severity, message = ''] = ENTRY.exec(line) ?? [];
    // A statement of several lines goes on after a tab.
    if (severity === undefined && unfinished && line.startsWith('\t')) unfinished.text += `\n${line.slice(1)}`;
    if (severity === undefined) continue;
    unfinished = undefined;
    const transaction = `${virtualTransaction} of session ${session}`;
    const before = latest.get(session);
    if (ENDS_A_TRANSACTION.has(severity)) failed.add(transaction);
    if (severity === 'DETAIL' && before) before.parameters = message;
    const text = severity === 'LOG' && application?.startsWith(APPLICATION) ? STATEMENT.exec(message)?.[1] : undefined;
    if (text === undefined) continue;
    unfinished = { transaction, text, parameters: '' };
    latest.set(session, unfinished);
    statements.push(unfinished);
  }
  return { statements, failed };
}
