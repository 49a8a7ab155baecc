// The page in a real browser: it loads quickly and without warnings, scenes end with the host's bits, projection jumps
// and the exact rule does not, keyboard, mouse and touch work, and it is readable on a phone, in light and dark themes.
//
// `cargo verify playground` builds the page into target/playground, installs playwright-core beside it and runs this
// file by node.
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { before, after, test } = require('node:test');
const { chromium } = require('playwright-core');

const site = path.resolve('target/playground');
const pictures = path.resolve('target/playground-browser');
const PHONE = { width: 390, height: 844 };
const SIXTY_A_SECOND = 17.5;

let browser, context, page, touch;
const complaints = [];

before(async () => {
    fs.mkdirSync(pictures, { recursive: true });
    browser = await chromium.launch({
        executablePath: execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim(),
        args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--enable-unsafe-swiftshader'],
    });
    await show({ viewport: { width: 1280, height: 800 }, hasTouch: true });
});
after(() => browser?.close());

// A new browser window.
async function show(kind) {
    await context?.close();
    context = await browser.newContext(kind);
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
    touch = await context.newCDPSession(page);
    // Serves the files of the folder without a server.
    await context.route('http://page.test/**', (route) => {
        const file = path.join(site, path.basename(new URL(route.request().url()).pathname) || 'index.html');
        return fs.existsSync(file) ? route.fulfill({ path: file }) : route.fulfill({ status: 404 });
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
        // Without a graphics card the browser itself warns that every frame is read back.
        const own = message.text().includes('GL Driver Message (OpenGL, Performance');
        if (['error', 'warning', 'assert'].includes(message.type()) && !own) complaints.push(message.text());
    });
}

const go = (query = '') => page.goto(`http://page.test/${query}`);
const ask = (script) => page.evaluate(script);
const until = (script) => page.waitForFunction(script, null, { polling: 30 });
const picture = (name) => page.screenshot({ path: path.join(pictures, `${name}.png`) });
const open = (scene) => ask(`playground.open('${scene}')`);
const shot = () => page.locator('#view').screenshot();
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Other load on the machine can only make times longer, so the shortest of a few measurements is used.
async function shortest(limit, measure) {
    let least = Infinity;
    for (let i = 0; i < 4 && least >= limit; i++) least = Math.min(least, await measure());
    return least;
}

// Moves a slider or selects an option, like a user; returns the value that the page then displays.
const setControl = (id, value) => ask(`(() => {
    const control = document.getElementById('${id}');
    control.value = '${value}';
    control.dispatchEvent(new Event('input', { bubbles: true }));
    return document.getElementById('${id}-value')?.textContent ?? '';
})()`);

// At least one of four boxes has moved.
const MOVED = '[1, 2, 3, 4].some((i) => Math.hypot(...playground.page.kernel.poses().slice(7 * i, 7 * i + 2)) > 0.2)';

const middle = () => ask(`(() => {
    const b = document.getElementById('view').getBoundingClientRect();
    return { x: b.left + b.width / 2, y: b.top + b.height / 2 };
})()`);

// Touches at points of the window: Playwright itself supports taps only.
const fingers = (type, points) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });

test('the page is small', () => {
    const files = fs.readdirSync(site).map((name) => [name, fs.statSync(path.join(site, name)).size]);
    const total = files.reduce((sum, [, size]) => sum + size, 0);
    console.log(`    ${total} bytes in all`);
    assert(total < 1_000_000, `${total} bytes`);
    const wasm = files.find(([name]) => name === 'stiction.wasm')[1];
    assert(wasm <= 563_200, `${wasm} bytes of WebAssembly`);
});

test('it loads quickly and without a complaint', async () => {
    const ready = await shortest(2000, async () => {
        await go();
        await until('document.documentElement?.dataset.ready !== undefined');
        return ask('Number(document.documentElement.dataset.ready)');
    });
    console.log(`    ready after ${ready} ms`);
    assert(ready < 2000, `ready after ${ready} ms`);
    assert.deepEqual(complaints, []);
});

test('sixteen boxes are stepped and drawn within a frame', async () => {
    await go('?pace#stack-16');
    await until("globalThis.playground?.page.name === 'stack-16'");
    // The browser's compilers and the page's resolution settle first. Polling would disturb the measurement.
    await pause(8000);
    const quantile = (list, part) => ask(`[...playground.page.cost.${list}].sort((a, b) => a - b)[Math.floor(playground.page.cost.${list}.length * ${part})]`);
    let work = Infinity;
    // A display shows a frame every sixtieth or thirtieth of a second. The frame time is only reported. The work is
    // checked, that of the quicker frames: other programs interrupt the slower ones.
    const frame = await shortest(SIXTY_A_SECOND, async () => {
        await ask('playground.page.cost.work.length = playground.page.cost.frames.length = 0');
        await pause(4000);
        work = Math.min(work, await quantile('work', 0.1));
        return quantile('frames', 0.5);
    });
    // The page empties its list of frames where it changes its resolution.
    const every = Number.isFinite(frame) ? `${frame.toFixed(2)} ms` : 'unknown time';
    console.log(`    sixteen boxes: ${work.toFixed(2)} ms of stepping and drawing, a frame every ${every}`);
    assert(work < 1000 / 60, `a frame of sixteen boxes takes ${work} ms`);
    await picture('sixteen');
});

test('the first scene ends with the bits of the host, and its ledger closes', async () => {
    await go();
    await until("document.documentElement?.dataset.ready !== undefined && location.hash === '#slide-45-fast'");
    await ask(`globalThis.highest = 0; (function look() {
        highest = Math.max(highest, playground.page.kernel.poses()[7 + 2]);
        requestAnimationFrame(look);
    })()`);
    const drawn = "document.getElementById('energy').toDataURL()";
    const start = await ask(drawn);
    await until("playground.page.verdict !== ''");
    assert.equal(await ask('playground.page.verdict'), 'yes', 'the sliding cube ends with different bits than on the host');
    assert.notEqual(await ask(drawn), start, 'the plot of energy does not move');
    const [first, last] = await ask('[playground.energy.points.at(0)[1], playground.energy.points.at(-1)[1]]');
    assert(last < 0.1 * first, `kinetic energy ${first} J became ${last} J`);
    const [change, sum, friction] = await ask(`(() => {
        const { kinetic, potential, start } = playground.page.figures;
        const parts = playground.ledger.points.at(-1).slice(1);
        return [kinetic + potential - start, parts.reduce((sum, part) => sum + part, 0), parts[0]];
    })()`);
    assert(Math.abs(change - sum) < 1e-3 * Math.abs(change) && friction < 0.9 * change, `${change} J, ledger ${sum} J`);
    assert.equal(await ask("document.getElementById('gained').textContent"), 'none');
    const highest = await ask('highest');
    console.log(`    exact: the cube's centre never above ${highest.toFixed(4)} m`);
    assert(highest < 0.501, `the exact cube rose to ${highest} m`);
    await picture('exact');
});

test('under projection the cube jumps', async () => {
    await ask('highest = 0');
    await page.keyboard.press('2');
    await until('playground.page.frames > 60');
    const highest = await ask('highest');
    console.log(`    projection: the cube's centre rose to ${highest.toFixed(3)} m`);
    assert(highest > 0.6, `the cube rose to ${highest} m only`);
    await picture('projection');
});

test('keys pause, step, show cones and start again', async () => {
    await page.keyboard.press(' ');
    await until('!playground.page.playing');
    const frames = await ask('playground.page.frames');
    await page.keyboard.press('.');
    assert.equal(await ask('playground.page.frames'), frames + 1);
    await page.keyboard.press('c');
    assert(await ask("document.getElementById('cones').checked"), 'no cones');
    await page.keyboard.press('c');
    await page.keyboard.press('r');
    await until('playground.page.frames === 0');
    await page.keyboard.press(' ');
    await until('playground.page.playing');
});

test('every control says its value and has an effect', async () => {
    await open('ramp-stick');
    await ask('playground.page.playing = false');
    assert.equal(await setControl('mu', '0.05'), '0.05');
    await ask('playground.page.playing = true');
    await until('Math.hypot(...playground.page.kernel.poses().slice(7, 9)) > 1');
    await open('inelastic-bounce');
    await setControl('e', '0');
    await until('playground.page.frames > 60');
    const height = await ask('playground.page.kernel.poses()[7 + 2]');
    assert(height < 0.27, `without restitution the ball is at ${height} m`);
    await open('stack-4');
    assert.equal(await setControl('sweeps', '3'), '3');
    await until('playground.page.frames > 10');
    // A frame has eight substeps, each with a soft pass before its sweeps.
    const sweeps = await ask('playground.page.figures.sweeps');
    assert(sweeps <= 8 * (3 + 1), `${sweeps} sweeps in a frame, with three in a substep`);
    await setControl('mass', '2');
    const heavier = await ask('playground.page.figures.potential');
    await page.keyboard.press('o');
    const lighter = await ask('playground.page.figures.potential');
    assert(heavier > 10 * lighter, `a hundredfold mass: ${heavier} J after ${lighter} J`);
    assert.equal(await ask('playground.page.touched'), false, 'the scene does not come back as it was');
});

test('a mouse pulls a box, and two fingers come closer', async () => {
    await open('stack-4');
    const { x, y } = await middle();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await until('playground.page.held !== null');
    await page.mouse.move(x + 160, y, { steps: 20 });
    await until(MOVED);
    await page.mouse.up();
    await until('playground.page.held === null');
    const distance = await ask('playground.page.view.look.distance');
    await fingers('touchStart', [[60, 120], [120, 120]]);
    await fingers('touchMove', [[40, 120], [300, 120]]);
    await fingers('touchEnd', []);
    const closer = await ask('playground.page.view.look.distance');
    assert(closer < distance, `moving two fingers apart changed the distance from ${distance} to ${closer}`);
    await picture('pulled');
});

test('every scene ends with the bits that the host wrote down', async () => {
    const different = await ask(`(() => {
        const { page } = playground;
        page.playing = false;
        return page.scenes.filter(({ scene, check }) => {
            if (!page.kernel.begin(scene, { massFactor: 1, settings: {} })) return true;
            for (let i = 0; i < check.frames; i++) page.kernel.step();
            return page.kernel.digest() !== check.digest;
        }).map(({ name }) => name);
    })()`);
    assert.deepEqual(different, [], 'other bits than the host');
    console.log(`    ${await ask('playground.page.scenes.length')} scenes end with the bits of the host`);
});

test('friction beyond sliding can be seen: balls roll out and spin down, a sled follows its runners', async () => {
    for (const [scene, frames] of [['ball-rolls-out', 120], ['ball-spins-down', 60], ['sled-on-runners', 60]]) {
        await page.selectOption('#scene', scene);
        await until(`playground.page.name === '${scene}' && playground.page.frames > ${frames}`);
        await picture(scene);
    }
    const [x, y] = await ask('Array.from(playground.page.kernel.poses().slice(7, 9))');
    // It was pushed along x; its runners are at 30°.
    assert(y > 0.4 * x && x > 1, `the sled is at ${x}, ${y}`);
});

// A point of a body of the scene, from 0 to 1 across and down the view, as the camera sees it.
const onScreen = (body) => ask(`(() => {
    const { view, kernel, scene } = playground.page;
    const index = scene.bodies.findIndex(({ name }) => name === '${body}');
    const at = Array.from(kernel.poses().slice(7 * index, 7 * index + 3));
    const { eye, back, right, up } = view.basis();
    const way = at.map((value, k) => value - eye[k]);
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const depth = -dot(way, back);
    const b = document.getElementById('view').getBoundingClientRect();
    return {
        x: b.left + b.width * (0.5 + 0.5 * dot(way, right) / depth / view.lens[0]),
        y: b.top + b.height * (0.5 - 0.5 * dot(way, up) / depth / view.lens[1]),
    };
})()`);

// The largest distance between two anchors that should coincide, m.
const APART = `Math.max(...playground.page.kernel.joints().filter(({ isLine }) => !isLine)
    .map(({ a, b }) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])))`;

// Stops a scene after so many steps, without waiting for the display.
const run = (scene, frames) => ask(`(() => {
    playground.open('${scene}');
    const { page } = playground;
    page.playing = false;
    const before = performance.now();
    for (let i = 0; i < ${frames}; i++) if (!page.kernel.step()) return -1;
    globalThis.took = performance.now() - before;
    // The camera arrives.
    for (let i = 0; i < 200; i++) page.view.follow(page.scene, page.kernel.poses());
    return page.kernel.joints().length;
})()`);

test('scenes with joints run, and are drawn with them', async () => {
    for (const [scene, joints, frames] of [['pendulum', 1, 30], ['chain', 10, 60], ['bridge', 41, 120], ['ragdoll', 10, 90], ['car', 4, 150], ['arm', 3, 200]]) {
        assert.equal(await run(scene, frames), joints, scene);
        const [apart, took] = [await ask(APART), await ask('took')];
        console.log(`    ${scene}: ${joints} joints, at most ${(1000 * apart).toFixed(3)} mm apart; ${(took / frames).toFixed(2)} ms a step`);
        assert(apart < 2e-3, `${scene}: ${apart} m`);
        await pause(300);
        const [shown, hidden] = [await shot(), (await page.keyboard.press('j'), await pause(300), await shot())];
        assert(!shown.equals(hidden), `${scene}: joints cannot be seen`);
        await page.keyboard.press('j');
        await picture(scene);
    }
});

test('a hand lifts the ragdoll by a forearm, and pulls the chain and the car', async () => {
    for (const [scene, body, up, moved] of [
        ['ragdoll', 'left forearm', -250, (before, after) => after[2] > before[2] + 0.3],
        ['chain', 'link 10', -150, (before, after) => Math.hypot(after[0] - before[0], after[2] - before[2]) > 0.3],
        // Its motors run all the time, and do not take it further.
        ['car', 'chassis', -300, (before, after) => after[0] < 4 && after[2] > before[2] + 0.3],
    ]) {
        const other = { ragdoll: 'pelvis', chain: 'link 10', car: 'back left wheel' }[scene];
        const where = () => ask(`(() => {
            const index = playground.page.scene.bodies.findIndex(({ name }) => name === '${other}');
            return Array.from(playground.page.kernel.poses().slice(7 * index, 7 * index + 3));
        })()`);
        await run(scene, scene === 'chain' ? 400 : 120);
        const before = await where();
        const { x, y } = await onScreen(body);
        await page.mouse.move(x, y);
        await page.mouse.down();
        await until('playground.page.held !== null');
        await page.mouse.move(x, y + up, { steps: 20 });
        let apart = 0;
        for (let i = 0; i < 12; i++) {
            await ask('for (let i = 0; i < 10; i++) { playground.page.kernel.pull(playground.page.held.towards); playground.page.kernel.step(); }');
            apart = Math.max(apart, await ask(APART));
        }
        await pause(300);
        await picture(`pulled-${scene}`);
        const after = await where();
        await page.mouse.up();
        await until('playground.page.held === null');
        console.log(`    ${scene}: ${other} from ${before.map((v) => v.toFixed(2))} to ${after.map((v) => v.toFixed(2))} m, joints at most ${(1000 * apart).toFixed(2)} mm apart`);
        assert(moved(before, after), `${scene}: ${before} to ${after}`);
        assert(apart < 0.01, `${scene}: joints come ${apart} m apart`);
    }
});

test('bad joints are rejected, and the scene before them goes on', async () => {
    const answers = await ask(`(() => {
        const { page } = playground;
        playground.open('pendulum');
        page.playing = false;
        const { scene, kernel } = page;
        const changed = { massFactor: 1, settings: {} };
        const hinge = scene.joints[0];
        const bad = [
            { ...hinge, b: 'nobody' }, { ...hinge, a: 'rod' },
            ...[{ anchor: [NaN, 0, 0] }, { anchor: [1e30, 0, 0] }, { axis: [0, 0, 0] }, { limits: [1, 0] }, { friction: -1 },
                { motor: { speed: 1, max: -1 } }, { motor: { speed: 1, max: Infinity } }, { spring: { rest: 0, stiffness: -1, damping: 0 } },
            ].map((part) => ({ ...hinge, hinge: { ...hinge.hinge, ...part } })),
            { a: 'world', b: 'rod', rope: { anchor_a: [0, 0, 0], anchor_b: [0, 0, 0], length: -1 } },
        ];
        const accepted = bad.filter((joint) => kernel.begin({ ...scene, joints: [joint] }, changed)).length;
        const many = kernel.begin({ ...scene, joints: Array(65).fill({ ...hinge, collide: true }) }, changed);
        const kinds = [
            { ball: { anchor: [0, 0, 2] } }, { hinge: { anchor: [0, 0, 2], axis: [0, 1, 0], motor: { position: 1, stiffness: 10, damping: 1, max: 5 }, spring: { rest: 0, stiffness: 1, damping: 1 } } },
            { slider: { anchor: [0, 0, 2], axis: [0, 0, 1], limits: [-0.5, 0.5], friction: 1 } }, { fixed: { anchor: [0, 0, 2] } },
            { distance: { anchor_a: [0, 0, 3], anchor_b: [0, 0, 2] } }, { rope: { anchor_a: [0, 0, 3], anchor_b: [0, 0, 2], length: 1.2 } },
            { spring: { anchor_a: [0, 0, 3], anchor_b: [0, 0, 2], rest: 1, stiffness: 50, damping: 1 } },
        ].filter((kind) => kernel.begin({ ...scene, joints: [{ a: 'world', b: 'rod', ...kind }] }, changed) && kernel.step() && kernel.joints().length === 1).length;
        return [bad.length, accepted, many, kinds, kernel.step()];
    })()`);
    assert.deepEqual(answers, [11, 0, false, 7, true]);
});

test('words can be read by day and by night', async () => {
    const grounds = [];
    for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        grounds.push(await ask('getComputedStyle(document.body).backgroundColor'));
        // Contrast between text and background, by the usual formula of relative luminance.
        const contrast = await ask(`(() => {
            const light = (name) => {
                const probe = document.body.appendChild(document.createElement('i'));
                probe.style.color = \`var(\${name})\`;
                const parts = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
                probe.remove();
                const [r, g, b] = parts.map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            return Math.min(...['--ink', '--faint', '--good', '--bad'].map((name) => {
                const [a, b] = [light(name), light('--panel')].sort();
                return (b + 0.05) / (a + 0.05);
            }));
        })()`);
        console.log(`    ${colorScheme}: least contrast of words ${contrast.toFixed(1)}`);
        assert(contrast >= 4.5, `${colorScheme}: contrast ${contrast}`);
    }
    assert.notEqual(grounds[0], grounds[1], 'light and dark look the same');
    await page.keyboard.press('t');
    assert.equal(await ask('getComputedStyle(document.body).backgroundColor'), grounds[0], 'the key changes nothing');
});

test('it can be read and used on a phone', async () => {
    await show({ viewport: PHONE, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
    await go();
    await until('document.documentElement?.dataset.ready !== undefined && innerWidth <= 400');
    await open('stack-4');
    const wide = await ask('document.documentElement.scrollWidth');
    assert(wide <= PHONE.width, `on a phone of ${PHONE.width} points the page is ${wide} wide`);
    const smallest = await ask(`Math.min(...[...document.querySelectorAll('label, dt, dd, button, select, p')]
        .filter((e) => e.offsetParent && e.textContent.trim()).map((e) => parseFloat(getComputedStyle(e).fontSize)))`);
    console.log(`    a phone: ${wide} points wide, words of at least ${smallest} pixels`);
    assert(smallest >= 12, `words of ${smallest} pixels`);
    const seen = await ask(`(() => {
        const b = document.getElementById('view').getBoundingClientRect();
        return b.top < innerHeight && b.width > 300 && b.height > 200;
    })()`);
    assert(seen, 'on a phone the scene is not in sight');
    const { x, y } = await middle();
    assert(y < PHONE.height, `the middle of the scene is ${y} points down`);
    await fingers('touchStart', [[x, y]]);
    await until('playground.page.held !== null');
    for (let part = 1; part <= 20; part++) await fingers('touchMove', [[x + 7 * part, y]]);
    await until(MOVED);
    await fingers('touchEnd', []);
    await until('playground.page.held === null');
    await picture('phone');
    assert.deepEqual(complaints, []);
});

test('once it is there it needs no network', async () => {
    await context.unroute('http://page.test/**');
    await context.setOffline(true);
    const fetched = "fetch('scenes.json', { cache: 'no-store' }).then(() => 'there', () => 'gone')";
    assert.equal(await ask(fetched), 'gone', 'the network is still available, so this test proves nothing');
    complaints.length = 0;
    await open('billiard-break');
    await until("playground.page.frames > 10 && playground.page.name === 'billiard-break'");
    assert.deepEqual(complaints, []);
});
