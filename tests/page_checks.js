// What tests ask a page of ours in a browser: problems().

// Every text with its colour and what it stands on, the cells of heat maps included.
function contrasts() {
    const numbers = colour => {
        const [r, g, b, a] = colour.match(/[\d.]+/g).map(Number);
        return [r, g, b, a === undefined ? 1 : a];
    };
    const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
    const light = colour => {
        const [r, g, b] = colour.map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = element => {
        const layers = [];
        for (let each = element; each; each = each.parentElement) {
            layers.push(numbers(getComputedStyle(each).backgroundColor));
            if (layers.at(-1)[3] === 1) break;
        }
        return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
    };
    const cell = text => {
        let each = text.previousElementSibling;
        return each && each.tagName === 'rect' ? numbers(getComputedStyle(each).fill) : null;
    };
    const found = {};
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        const said = walker.currentNode.data.trim();
        if (!said || !element.getClientRects().length || ['title', 'desc'].includes(element.tagName)) continue;
        const style = getComputedStyle(element);
        const isDrawn = element instanceof SVGElement;
        const below = (isDrawn && cell(element)) || ground(element);
        const ink = numbers(isDrawn ? style.fill : style.color);
        ink[3] *= Number(style.opacity);
        const [dark, bright] = [light(over(ink, below)), light(below)].sort((a, b) => a - b);
        found[`${element.tagName}.${element.className.baseVal ?? element.className}: ${said.slice(0, 40)}`] =
            (bright + 0.05) / (dark + 0.05);
    }
    return found;
}

// What is wider than its place and cannot be scrolled there.
function cutOff() {
    const isCut = each => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX !== 'visible';
    const canScroll = each => ['auto', 'scroll'].includes(getComputedStyle(each).overflowX) && each.tabIndex === 0;
    return [...document.querySelectorAll('main *, header *')]
        .filter(each => !(each instanceof SVGElement) && !each.closest('.unseen') && isCut(each) && !canScroll(each))
        .map(each => each.outerHTML.slice(0, 120));
}

// Tables, pictures and places that have no name for those who listen.
function nameless() {
    const isNamed = each => each.getAttribute('aria-label')
        || (each.getAttribute('aria-labelledby') || '').split(' ').some(id => document.getElementById(id)?.textContent.trim())
        || each.querySelector(':scope > caption')?.textContent.trim();
    return [...document.querySelectorAll('table, [role=img], [role=group], [role=region], section, [tabindex="0"]')]
        .filter(each => !isNamed(each)).map(each => each.outerHTML.slice(0, 120));
}

// Whether the page is wider than the window; not innerWidth, as a phone zooms out until everything fits.
function scrollsSideways() {
    return document.documentElement.scrollWidth > document.documentElement.clientWidth;
}

// What keeps somebody from reading the page, or from hearing it.
function problems() {
    const texts = Object.entries(contrasts());
    const unreadable = texts.filter(([, contrast]) => contrast < 4.5);
    return [
        ...(scrollsSideways() ? ['it scrolls sideways'] : []),
        ...(texts.length > 10 ? [] : ['it has hardly any text']),
        ...unreadable.map(([text, contrast]) => `contrast ${contrast.toFixed(2)}: ${text}`),
        ...cutOff().map(each => `cut off: ${each}`),
        ...nameless().map(each => `nameless: ${each}`),
    ];
}
