// Which addresses may be called: every special range, every wrapped form, every odd way to write.
import { equal, match, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { addressRefusal, literalOf, parseNetworks } from "../../../src/model/webhooks/address.ts";

const none = parseNetworks("none");

const global = [
  ...["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0"],
  ...["192.0.3.1", "198.17.255.255", "198.20.0.0", "223.255.255.255"],
  ...["2001:4860:4860::8888", "2606:4700::1111", "2a00::1", "3ffe::1"],
  // Wrapped, and global inside.
  ...["::ffff:8.8.8.8", "::ffff:808:808", "64:ff9b::808:808", "2002:808:808::1"],
  "2001:0:808:808:8000:63bf:f7f7:f7f7",
];

const local = [
  // IPv4: RFC 6890 and its registry.
  ...["0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255"],
  ...["127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255"],
  ...["192.0.0.1", "192.0.0.170", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1"],
  ...["192.168.0.1", "192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.1"],
  ...["203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
  // IPv6, and what nobody was given.
  ...["::", "::1", "::2", "::7f00:1", "::808:808", "100::1", "fc00::1", "fd00:ec2::254"],
  ...["fe80::1", "fec0::1", "ff02::1", "5f00::1", "4000::1", "8000::1", "3fff::1"],
  ...["2001:db8::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:30::1", "2001:1::1"],
  // Wrapped.
  ...["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1", "::ffff:169.254.169.254"],
  ...["::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8", "64:ff9b::7f00:1", "64:ff9b::a00:1"],
  ...["64:ff9b:1::808:808", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2002:a00:1::1"],
  // Teredo: a local client behind a global server, and the other way round.
  ...["2001:0:808:808:8000:63bf:80ff:fffe", "2001:0:7f00:1:8000:63bf:f7f7:f7f7"],
];

Deno.test("global unicast addresses may be called, in every form", () => {
  for (const address of global) equal(addressRefusal(address, none), undefined, address);
});

Deno.test("no address of any other range may be called", () => {
  for (const address of local) ok(addressRefusal(address, none), address);
});

Deno.test("what is no address may not be called", () => {
  const odd = ["", "localhost", "127.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "127.0.0.1."];
  const dotted = ["::8.8.8.8", "::ffff:010.0.0.1", "::ffff:8.8.8", "64:ff9b::0x8.8.8.8"];
  for (
    const text of [...odd, "fe80::1%eth0", "2606:4700::1111%1", "[::1]", " 8.8.8.8", ...dotted]
  ) {
    match(addressRefusal(text, none) ?? "", /is no address/, text);
  }
});

Deno.test("a refusal says the range, and the address inside", () => {
  equal(addressRefusal("127.0.0.1", none), "127.0.0.1 is not global: loopback");
  equal(addressRefusal("64:ff9b::a00:1", none), "64:ff9b::a00:1 is not global: private 10.0.0.1");
  equal(addressRefusal("::808:808", none), "::808:808 is not global: reserved");
});

Deno.test("listed networks may be called, wrapped too, and nothing beside them", () => {
  const listed = parseNetworks("10.1.0.0/16, 127.0.0.2,fd00::/8, ::1");
  for (
    const address of [
      ...["10.1.0.1", "10.1.255.255", "127.0.0.2", "fd12::1", "::1", "8.8.8.8"],
      ...["::ffff:10.1.2.3", "64:ff9b::a01:203", "2002:a01:203::1"],
    ]
  ) equal(addressRefusal(address, listed), undefined, address);
  for (const address of ["10.2.0.1", "127.0.0.1", "fc00::1", "::2", "::ffff:10.2.0.1"]) {
    ok(addressRefusal(address, listed), address);
  }
});

Deno.test("a list that is none says the word that is wrong", () => {
  for (
    const word of ["", "localhost", "10.0.0.0/33", "::/129", "10.0.0.0/8/8", "10.1/16", "1/-1"]
  ) {
    throws(() => parseNetworks(`10.0.0.0/8,${word}`), new RegExp(`not "${word}"`), word);
  }
});

Deno.test("the host of a URL is an address however it is written, or a name", () => {
  const hosts = [
    ["http://127.0.0.1/", "127.0.0.1"],
    ["http://2130706433/", "127.0.0.1"],
    ["http://0x7f000001/", "127.0.0.1"],
    ["http://0177.0.0.1/", "127.0.0.1"],
    ["http://0x7f.1/", "127.0.0.1"],
    ["http://127.1/", "127.0.0.1"],
    ["http://127.0.0.1./", "127.0.0.1"],
    ["http://１２７.0.0.1/", "127.0.0.1"],
    ["http://0/", "0.0.0.0"],
    ["http://[::1]/", "::1"],
    ["http://[::ffff:127.0.0.1]/", "::ffff:7f00:1"],
    ["http://[0:0:0:0:0:0:0:1]:80/", "::1"],
    ["http://localhost/", undefined],
    ["http://localhost./", undefined],
    ["http://127.0.0.1.example/", undefined],
    ["http://example.com/", undefined],
  ] as const;
  for (const [text, literal] of hosts) equal(literalOf(new URL(text).hostname), literal, text);
  for (const text of ["http://[fe80::1%25eth0]/", "http://256.0.0.1/", "http://0x100000000/"]) {
    equal(URL.parse(text), null, text);
  }
});

Deno.test("an IPv4 address is judged the same in each of its wrapped forms", () => {
  fc.assert(fc.property(fc.ipV4(), (address) => {
    const [a, b, c, d] = address.split(".").map(Number);
    const high = (a * 256 + b).toString(16);
    const low = (c * 256 + d).toString(16);
    const bare = addressRefusal(address, none) === undefined;
    for (const form of [`::ffff:${address}`, `64:ff9b::${high}:${low}`, `2002:${high}:${low}::1`]) {
      equal(addressRefusal(form, none) === undefined, bare, form);
    }
  }));
});
