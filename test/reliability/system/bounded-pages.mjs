// Preloaded by a service whose SQLite database is full at a hundred pages, and has room again after SIGUSR2.
import SqliteConnection from 'better-sqlite3';

const { pragma } = SqliteConnection.prototype;
SqliteConnection.prototype.pragma = function (text, ...options) {
  const result = pragma.call(this, text, ...options);
  if (text === 'synchronous = FULL') {
    pragma.call(this, 'max_page_count = 100');
    process.on('SIGUSR2', () => this.open && pragma.call(this, 'max_page_count = 100000'));
  }
  return result;
};
