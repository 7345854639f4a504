import { animalAt, animalLines } from '../fixtures/animals.mjs';
import { shareRow } from '../report/row.mjs';
import { compare } from './compare.mjs';
import { startPromises } from './http.mjs';
import { order, withHeaders } from './requests.mjs';
import { ANIMALS, onBoth, onStage } from './stage.mjs';

const GOAL = 1;
// More than any service answers; animals that a turn leaves over stay as they are.
const MOST_IN_A_SECOND = 12_000;
// Beside those that count: one that warms the service, and some to be taken again.
const FURTHER_TURNS = 3;

/** Placing orders, each for an animal of its own, beside a service with the same promises. */
export const orderMeasurements = onBoth('orders', (place, options) => onStage(place, (stage) => measure(stage, options)));

async function measure(stage, options) {
  const animals = (options.rounds + FURTHER_TURNS) * options.seconds * MOST_IN_A_SECOND;
  stage.key = await stage.database.createKey('pets,orders');
  await stage.import(animalLines(animals, availableAnimalAt));
  const servers = [await stage.serve(), await startPromises(stage, options, { animals: ANIMALS + animals, status: 'available' })];
  const placing = withHeaders(order, stage.headers);
  const contestants = servers.map((server) => ({ server, ...placing, request: eachForItsAnimal(placing.request) }));
  const measured = await compare(contestants, options);
  const baseline = { name: servers[1].title, measured: measured.get(servers[1].name) };
  return [shareRow({ what: `${order.title}, ${stage.label}`, subject: measured.get('service'), baseline, goal: GOAL })];
}

function availableAnimalAt(index) {
  return { ...animalAt(index), status: 'available' };
}

/** Gives the request of a turn: for the animals that follow those of the turn before. */
function eachForItsAnimal(request) {
  let ordered = ANIMALS;
  return (seconds) => {
    const numbers = { first: ordered + 1, last: ordered + seconds * MOST_IN_A_SECOND };
    ordered = numbers.last;
    return { ...request, numbers };
  };
}
