import { rememberKey } from './kept-key.mjs';
import { trySending } from './try-it.mjs';

rememberKey(document.getElementById('key'), document.getElementById('forget'));
for (const form of document.querySelectorAll('form.request')) trySending(form);

/** Opens what the address names: `#listPets`, and `#/pets/listPets` as earlier pages had it. */
function openNamed() {
  const named = document.getElementById(location.hash.slice(1).split('/').at(-1));
  if (!named) return;
  if (named instanceof HTMLDetailsElement) named.open = true;
  named.scrollIntoView();
}

addEventListener('hashchange', openNamed);
openNamed();
for (const operation of document.querySelectorAll('details.operation')) {
  operation.addEventListener('toggle', () => {
    if (operation.open) history.replaceState(undefined, '', `#${operation.id}`);
  });
}
