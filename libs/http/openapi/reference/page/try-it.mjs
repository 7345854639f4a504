import { curlCommand } from './curl-command.mjs';
import { indentedJson } from './indented-json.mjs';
import { keptKey } from './kept-key.mjs';

const { server, keyVariable } = document.body.dataset;

/** Has a form of an operation show its request as a command while it is filled in, and send it. */
export function trySending(form) {
  const inside = form.closest('.inside');
  const command = inside.querySelector('[data-live]');
  const show = () => {
    command.textContent = curlCommand(requestOf(form), keyVariable);
  };
  form.addEventListener('input', (event) => {
    if (event.target.classList.contains('example')) form.querySelector('.body').value = event.target.value;
    show();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    show();
    void send(form, inside.querySelector('.result'));
  });
  show();
}

function requestOf(form) {
  const { method, path, needsKey } = form.dataset;
  const filled = [...form.querySelectorAll('[data-in]')].filter(({ value }) => value !== '');
  const valuesIn = (place) => filled.filter(({ dataset }) => dataset.in === place).map(({ name, value }) => [name, value]);
  const inPath = new Map(valuesIn('path'));
  const query = new URLSearchParams(valuesIn('query')).toString();
  const target = path.replaceAll(/\{(\w+)\}/g, (template, name) => encodeURIComponent(inPath.get(name) ?? template));
  const body = form.querySelector('.body')?.value || undefined;
  return {
    method,
    url: `${new URL(server, location.origin).href.replace(/\/$/, '')}${target}${query ? `?${query}` : ''}`,
    headers: [...(body === undefined ? [] : [['Content-Type', form.querySelector('.media-type').value]]), ...valuesIn('header')],
    needsKey: needsKey !== '0',
    body,
  };
}

async function send(form, result) {
  const { method, url, headers, needsKey, body } = requestOf(form);
  const [sendButton, stopButton] = [form.querySelector('.send'), form.querySelector('.stop')];
  const stopping = new AbortController();
  stopButton.onclick = () => stopping.abort();
  [sendButton.disabled, stopButton.hidden] = [true, false];
  const shown = startResult(result);
  try {
    const sent = new Headers(headers);
    if (needsKey && keptKey()) sent.set('Authorization', `Bearer ${keptKey()}`);
    const answer = await fetch(url, { method, headers: sent, body, cache: 'no-store', credentials: 'omit', signal: stopping.signal });
    await showAnswer(shown, answer);
  } catch (error) {
    if (!stopping.signal.aborted) shown.status.textContent = `No answer: ${error.message}`;
  } finally {
    [sendButton.disabled, stopButton.hidden] = [false, true];
  }
}

function startResult(result) {
  const status = document.createElement('p');
  status.textContent = 'Waiting for the answer.';
  const body = document.createElement('pre');
  body.tabIndex = 0;
  body.hidden = true;
  const heading = document.createElement('h4');
  heading.textContent = 'Answer';
  result.replaceChildren(heading, status, body);
  return { result, status, body };
}

async function showAnswer({ result, status, body }, answer) {
  status.textContent = `${answer.status} ${answer.statusText}`;
  status.className = answer.ok || answer.status === 304 ? 'good' : 'bad';
  result.append(headersOf(answer));
  let text = '';
  const decoder = new TextDecoder();
  // A stream of events has no end: what has come is shown at once.
  for (const reader = answer.body?.getReader(); reader;) {
    const { done, value } = await reader.read();
    text += decoder.decode(value, { stream: !done });
    body.hidden = text === '';
    body.textContent = text;
    if (done) break;
  }
  if (/json/.test(answer.headers.get('content-type') ?? '')) body.textContent = indentedJson(text);
}

function headersOf({ headers }) {
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = 'Headers of the answer';
  const lines = document.createElement('pre');
  lines.tabIndex = 0;
  lines.textContent = [...headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  details.append(summary, lines);
  return details;
}
