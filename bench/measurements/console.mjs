import { freePort } from '../contestants/service.mjs';
import { ConsolePages } from '../load/console-pages.mjs';
import { shareRow } from '../report/row.mjs';
import { compare } from './compare.mjs';
import { list, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

const PAGES = 10;
const PASSWORD = 'bench';

/** What open pages of the operators' console cost. */
export const consoleMeasurements = [
  { name: 'console', run: (options) => measure({ kind: 'sqlite' }, 'SQLite', options) },
  {
    name: 'console-postgres',
    needsPostgres: true,
    run: (options) => measure({ kind: 'postgres', postgres: options.postgres }, 'PostgreSQL', options),
  },
];

/** One service: the pages are opened and closed between its turns. */
function measure(place, label, options) {
  return onStage(place, async (stage) => {
    const port = await freePort();
    const server = await stage.serve({ environment: { MANAGEMENT_PORT: `${port}`, CONSOLE: 'on', CONSOLE_PASSWORD: PASSWORD } });
    const authorization = `Basic ${Buffer.from(`bench:${PASSWORD}`).toString('base64')}`;
    const pages = new ConsolePages(`http://127.0.0.1:${port}/console`, { authorization }, PAGES);
    const contestants = [
      { server: { ...server, name: 'with' }, ...withHeaders(list, stage.headers), prepare: () => pages.open() },
      { server: { ...server, name: 'without' }, ...withHeaders(list, stage.headers), prepare: () => pages.close() },
    ];
    const measured = await compare(contestants, options);
    pages.close();
    const what = `${list.title}, beside ${PAGES} open pages of the console, ${label}`;
    const baseline = { name: 'the same service without pages', measured: measured.get('without') };
    return [shareRow({ what, subject: measured.get('with'), baseline, goal: 0.97, spread: true })];
  });
}
