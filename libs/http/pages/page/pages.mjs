// The search, with the keyboard too, buttons that copy code, and the host of the page in samples. Without it the pages can still be read.
const MOST_RESULTS = 12;
/** Where the guides in docs/ say that the service is. */
const SAMPLE_HOST = '127.0.0.1:3000';
/** Of `NodeFilter`. */
const SHOW_TEXT = 4;

const input = document.querySelector('#search');
const found = document.querySelector('#found');
const [told, results] = found.children;

let index;

/** Loads the sections of all pages at the first use of the search. */
function loadIndex() {
  index ??= Promise.all([import('/docs/assets/minisearch.mjs'), fetch('/docs/search.json').then((response) => response.json())]).then(
    ([{ default: MiniSearch }, sections]) => {
      const search = new MiniSearch({
        idField: 'url',
        fields: ['title', 'page', 'text'],
        storeFields: ['title', 'page'],
        searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: (term) => (term.length > 4 ? 0.2 : false), combineWith: 'AND' },
      });
      search.addAll(sections);
      return search;
    },
  );
  return index;
}

async function showResults() {
  const query = input.value.trim();
  const search = await loadIndex();
  // A later letter shows its own results.
  if (query !== input.value.trim()) return;
  const matches = query === '' ? [] : search.search(query);
  results.replaceChildren(...matches.slice(0, MOST_RESULTS).map(resultItem));
  told.textContent = matches.length === 0 ? 'Nothing found' : `${matches.length} found`;
  found.hidden = query === '';
}

function resultItem({ id, title, page }) {
  const link = Object.assign(document.createElement('a'), { href: id, textContent: title });
  if (page !== title) link.append(Object.assign(document.createElement('small'), { textContent: page }));
  return link;
}

function clearSearch() {
  input.value = '';
  void showResults();
}

/** Moves the focus along the field and its results. */
function moveFocus(event, steps) {
  const stops = [input, ...results.querySelectorAll('a')];
  const place = stops.indexOf(document.activeElement);
  if (place === -1) return;
  event.preventDefault();
  stops[Math.min(Math.max(place + steps, 0), stops.length - 1)].focus();
}

input.addEventListener('focus', () => void loadIndex());
input.addEventListener('input', () => void showResults());
// A result may be a place on this page.
results.addEventListener('click', clearSearch);
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if (event.key === 'ArrowDown') moveFocus(event, 1);
  else if (event.key === 'ArrowUp') moveFocus(event, -1);
  else if (event.key === 'Enter' && event.target === input) results.querySelector('a')?.click();
  else if (event.key === 'Escape' && !found.hidden) {
    clearSearch();
    input.focus();
  }
});
// The browser restores the text of the field when the reader comes back.
if (input.value !== '') void showResults();

// Commands can be pasted as they are: they name the host that the page is read at.
const main = document.querySelector('main') ?? document.createElement('main');
const texts = document.createTreeWalker(main, SHOW_TEXT);
while (texts.nextNode()) {
  const text = texts.currentNode;
  text.data = text.data.replaceAll(`http://${SAMPLE_HOST}`, location.origin).replaceAll(SAMPLE_HOST, location.host);
}

for (const block of document.querySelectorAll('.code')) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' });
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(block.querySelector('code').textContent.trimEnd()).then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Not copied'),
    );
  });
  button.addEventListener('blur', () => (button.textContent = 'Copy'));
  block.prepend(button);
}

// The lists stand beside the page if there is room. Without this script they are opened by hand.
for (const list of document.querySelectorAll('aside details')) list.open = matchMedia('(min-width: 60rem)').matches;
