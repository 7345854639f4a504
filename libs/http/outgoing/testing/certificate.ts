/** A self-signed certificate for `hooks.example.com`, valid until 2120, with its key. For tests: everybody knows the key. */
export const certificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgS+1+Xgfqr1Kw+80/
ifqajVYk6kHHsYMCql9b9d99F2ihRANCAAS2RZ+n3ecqdv1tvW1lt8okkSnPpa6y
rA7F1qWGdQ0GN9XnQVjQLG/zyFCaJZZtdyeOgGvlEVuo5WuIxYB9ghbD
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFob29rcy5l
eGFtcGxlLmNvbTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
MBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAAS2RZ+n3ecqdv1tvW1lt8okkSnPpa6yrA7F1qWGdQ0GN9XnQVjQLG/zyFCa
JZZtdyeOgGvlEVuo5WuIxYB9ghbDo1AwTjAPBgNVHRMBAf8EBTADAQH/MB0GA1Ud
DgQWBBQL/WJK4EHZ4TO/GFG6RwtvsoDj5DAcBgNVHREEFTATghFob29rcy5leGFt
cGxlLmNvbTAKBggqhkjOPQQDAgNIADBFAiEAj4bT0zSuCv4uhHxYUxfONGP1FtgG
Zyx7j/0tHSFeaOYCIE1uoiJ9lvsULMNorQZF5LDge11Pnk22uAMqr+gFCsyW
-----END CERTIFICATE-----
`,
};
