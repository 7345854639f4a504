// Shows the document in RapiDoc, in the colours and the layout that the screen of the reader asks for.
const page = document.querySelector('rapi-doc');
const { prefix, sampleServer } = page.dataset;

const COLOURS = {
  light: { theme: 'light', 'bg-color': '#ffffff', 'text-color': '#1b2733', 'primary-color': '#0b5cad' },
  dark: { theme: 'dark', 'bg-color': '#12171d', 'text-color': '#e3e9ef', 'primary-color': '#7db9f5' },
};
const NAVIGATION = {
  light: { 'nav-bg-color': '#f4f6f8', 'nav-text-color': '#33414e', 'nav-hover-bg-color': '#e4e9ee', 'nav-hover-text-color': '#0b5cad' },
  dark: { 'nav-bg-color': '#171d24', 'nav-text-color': '#c6d0da', 'nav-hover-bg-color': '#222b35', 'nav-hover-text-color': '#7db9f5' },
};
const dark = matchMedia('(prefers-color-scheme: dark)');
// Without room for the sidebar, all operations are below one another.
const narrow = matchMedia('(max-width: 768px)');

function adapt() {
  const scheme = dark.matches ? 'dark' : 'light';
  const layout = narrow.matches ? 'view' : 'focused';
  for (const [name, value] of Object.entries({ ...COLOURS[scheme], ...NAVIGATION[scheme], 'render-style': layout })) {
    page.setAttribute(name, value);
  }
}

// RapiDoc shows what `json()` gives, in which a number would lose the last digits of an int64.
Response.prototype.json = async function json() {
  const text = await this.text();
  if (!JSON.rawJSON) return JSON.parse(text);
  return JSON.parse(text, (_name, value, { source }) => {
    return typeof value === 'number' && !Number.isSafeInteger(value) ? JSON.rawJSON(source) : value;
  });
};

// RapiDoc 9.3 gives the fields of a request no label, and a response cannot be scrolled by keyboard.
function completeForm({ shadowRoot }) {
  for (const body of shadowRoot.querySelectorAll('textarea')) body.setAttribute('aria-label', 'Request body');
  for (const example of shadowRoot.querySelectorAll('select')) example.setAttribute('aria-label', 'Example');
  for (const field of shadowRoot.querySelectorAll('[data-pname]')) field.setAttribute('aria-label', field.dataset.pname);
  for (const response of shadowRoot.querySelectorAll('pre')) response.tabIndex = 0;
}

const observed = new WeakSet();

function observeForms() {
  for (const form of page.shadowRoot.querySelectorAll('api-request')) {
    if (observed.has(form)) continue;
    observed.add(form);
    new MutationObserver(() => completeForm(form)).observe(form.shadowRoot, { subtree: true, childList: true });
    completeForm(form);
  }
}

adapt();
dark.addEventListener('change', adapt);
narrow.addEventListener('change', adapt);
const response = await fetch('/docs/reference/document.json');
const text = await response.text();
await customElements.whenDefined('rapi-doc');
new MutationObserver(observeForms).observe(page.shadowRoot, { subtree: true, childList: true });
// Samples can be pasted as they are: they name the host that the page is read at.
page.loadSpec(JSON.parse(text.replaceAll(sampleServer, location.origin + prefix)));
