import { loadGenerator } from '../load/load.mjs';
import { shareRow } from '../report/row.mjs';
import { compare } from './compare.mjs';
import { add, get, list, oneAt, PAGE, pageFrom, pagesFrom, withHeaders } from './requests.mjs';
import { ANIMALS, onStage } from './stage.mjs';
import { measureStarts } from './start.mjs';

const GOAL = 0.9;
// At 2.4 kB each these are three times what the service keeps, so each page is read from the database.
const DIFFERENT_PAGES = 20_000;
// Shares no factor with their number, so that each place comes up once.
const STRIDE = 7_919;

/** A large log beside a small one: what the operations take, deep pages beside the first, and how long a start takes. */
export const growthMeasurement = {
  name: 'growth',
  run: (options) =>
    onStage({ animals: options.animals }, async (large) => {
      const starts = await measureStarts(large, options);
      const operations = await onStage({}, (small) => measureOperations(large, small, options));
      return [...operations, ...starts];
    }),
};

async function measureOperations(largeStage, smallStage, options) {
  const { animals } = options;
  const large = { server: await largeStage.serve(), headers: largeStage.headers };
  const small = { server: await smallStage.serve(), headers: smallStage.headers };
  const besideSmall = (title, subject, baseline) =>
    measure(`${title}, ${whole(animals)} animals`, [large, subject], [small, baseline], `${whole(ANIMALS)} animals`, options);
  const besideStart = (title, subject, baseline, baselineTitle) =>
    measure(`${title}, ${whole(animals)} animals`, [large, subject], [large, baseline], baselineTitle, options);

  const lastPage = Math.floor(animals / 3) - PAGE;
  const rows = [
    await besideSmall(list.title, list, list),
    await besideSmall(get.title, oneAt(Math.floor(animals / 2)), oneAt(ANIMALS / 2)),
    await besideStart('last page of 20 by status', pageFrom(lastPage), list, 'the first page'),
  ];
  if (loadGenerator === 'wrk') {
    const pages = Math.min(DIFFERENT_PAGES, lastPage);
    const everywhere = pagesFrom(takenInStrides(pages, (index) => Math.floor((index * lastPage) / pages)));
    const nearStart = pagesFrom(takenInStrides(pages, (index) => index));
    rows.push(await besideStart(`${whole(pages)} different pages from all over the list`, everywhere, nearStart, 'as many near its start'));
  }
  // Last, since it changes what the others read.
  rows.push(await besideSmall(add.title, add, add));
  return rows;
}

async function measure(what, subject, baseline, baselineTitle, options) {
  const measured = await compare([contestant('subject', ...subject), contestant('baseline', ...baseline)], options);
  return shareRow({
    what,
    subject: measured.get('subject'),
    baseline: { name: baselineTitle, measured: measured.get('baseline') },
    goal: GOAL,
  });
}

function contestant(name, { server, headers }, operation) {
  return { server: { ...server, name }, ...withHeaders(operation, headers) };
}

/** So many places, in an order that leaps to and fro. */
function takenInStrides(count, placeOf) {
  return Array.from({ length: count }, (_, index) => placeOf((index * STRIDE) % count));
}

function whole(number) {
  return number.toLocaleString('en-US');
}
