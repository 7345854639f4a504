export { CSS, HTML, JAVASCRIPT, serveLocalPage, type LocalPage, type PageFile } from './serve-local-page.js';
