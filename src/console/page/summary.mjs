import { bansIn } from './keys-panel.mjs';
import { newest, total } from './points.mjs';
import { bytes, count, duration, milliseconds, percent } from './wording.mjs';

/** What an operator looks at first: a few figures, each with a line below it and a level that is `good`, `warn`, `bad`, `work` or `none`. */
export function summaryOf(data, series) {
  return [
    requests(series),
    failures(series),
    answerTime(series),
    limits(data, series),
    log(data, series),
    readModels(data),
    memory(series),
    loop(series),
  ];
}

const ANSWERED = ['success', 'redirection', 'clientError', 'serverError'];

function requests(series) {
  const now = [...ANSWERED, 'aborted'].reduce((sum, column) => sum + (series[column]?.at(-1) ?? 0), 0);
  const all = [...ANSWERED, 'aborted'].reduce((sum, column) => sum + total(series[column]), 0);
  return { name: 'Requests a second', value: count(now), below: `${count(all)} in 5 min`, level: 'none' };
}

function failures(series) {
  const failed = total(series.serverError);
  const all = ANSWERED.reduce((sum, column) => sum + total(series[column]), 0);
  const below = failed === 0 ? 'none in 5 min' : `${percent(failed / all)} of answers in 5 min`;
  return { name: 'Server’s errors', value: count(failed), below, level: failed === 0 ? 'good' : failed / all < 0.01 ? 'warn' : 'bad' };
}

function answerTime(series) {
  const slowest = newest(series.p99);
  const below = slowest === null ? 'no request in 5 min' : `p50 ${milliseconds(newest(series.p50))}`;
  return { name: 'Time to answer, p99', value: milliseconds(slowest), below, level: 'none' };
}

function limits({ limiter, keys }, series) {
  const turnedAway = total(series.refused) + total(series.banned);
  const inForce = keys ? bansIn(keys) : 0;
  const bans = inForce === 0 ? 'no ban' : `${count(inForce)} ${inForce === 1 ? 'ban' : 'bans'} in force`;
  const isAlone = limiter.counting === 'alone';
  const below = isAlone ? `${bans}, counting alone` : bans;
  return { name: 'Refused in 5 min', value: count(turnedAway), below, level: isAlone || inForce > 0 ? 'warn' : 'good' };
}

function log({ log: newestOf }, series) {
  if (newestOf === null) return { name: 'Log position', value: 'unknown', below: 'database does not answer', level: 'bad' };
  return {
    name: 'Log position',
    value: count(newestOf.position),
    below: `${count(series.events?.at(-1) ?? 0)} events a second`,
    level: 'none',
  };
}

function readModels({ projections }) {
  const name = 'Projections';
  if (projections === null) return { name, value: 'unknown', below: 'database does not answer', level: 'bad' };
  const used = projections.filter(({ state }) => state !== 'unused');
  const greatest = used.reduce((most, { lag }) => (lag !== null && BigInt(lag) > most ? BigInt(lag) : most), 0n);
  const built = used.find(({ rebuild }) => rebuild !== null);
  const behind = used.filter(({ state }) => state === 'behind').length;
  const below = greatest > 0n ? `greatest lag ${count(String(greatest))}` : 'lag 0';
  if (built) {
    const { percent: done, remainingSeconds, standsStill } = built.rebuild;
    const rest = remainingSeconds === null ? '' : ` ${duration(remainingSeconds)} left,`;
    return {
      name,
      value: `${Math.floor(done)} %`,
      below: `${standsStill ? 'standing still:' : 'rebuilding'} ${built.name},${rest} ${below}`,
      level: standsStill ? 'warn' : 'work',
    };
  }
  if (behind > 0) return { name, value: `${behind} behind`, below, level: 'warn' };
  return { name, value: 'current', below, level: 'good' };
}

function memory(series) {
  return { name: 'Memory', value: bytes(newest(series.memory)), below: `heap ${bytes(newest(series.heap))}`, level: 'none' };
}

function loop(series) {
  const use = newest(series.loopUse);
  return {
    name: 'Event loop',
    value: percent(use),
    below: `delay ${milliseconds(newest(series.loopDelay))}`,
    level: use > 0.9 ? 'warn' : 'none',
  };
}
