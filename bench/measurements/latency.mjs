import { load } from '../load/load.mjs';
import { pace } from '../load/pace.mjs';
import { startConstant } from './http.mjs';
import { figureRow } from '../report/row.mjs';
import { median } from './compare.mjs';
import { add, get, list, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

/** The 99th percentile of the latency while requests come at half the highest rate, whether answers come or not. */
export const latencyMeasurement = {
  name: 'latency',
  run: (options) =>
    onStage({}, async (stage) => {
      const server = await stage.serve();
      const rows = [await measureConstant(server, withHeaders(list, stage.headers), options)];
      for (const operation of [list, get, add]) {
        const { request } = withHeaders(operation, stage.headers);
        rows.push(await measure(operation.title, server.origin, request, options));
      }
      return rows;
    }),
};

/** What the machine and the load itself add: the list's bytes from `node:http`, at the rate of its own half. */
async function measureConstant(server, { request }, options) {
  const constant = await startConstant({ server, request });
  try {
    return { ...(await measure(constant.title, constant.origin, request, options)), goal: '', met: undefined };
  } finally {
    await constant.stop();
  }
}

async function measure(title, origin, request, { rounds, seconds, connections }) {
  const percentiles = [];
  let refused = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { rate } = await load({ ...request, url: origin + request.path }, { seconds, connections });
    const { p99, unexpected } = await pace(origin, [request], { rate: rate / 2, seconds, connections });
    percentiles.push(p99);
    refused += unexpected;
  }
  const note = refused === 0 ? '' : `${refused} requests were refused`;
  return figureRow({ what: `${title}: p99 at half the highest rate`, figure: median(percentiles), unit: 'ms', below: 5, note });
}
