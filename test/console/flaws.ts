export type Flaw = { element: string; what: string };

/**
 * What is wrong with the layout of the page as it is now: text or controls off the screen, on top of each other or hidden under
 * a fixed bar, text that is cut off or broken within a short word, and targets that are too small. Runs in the page, so it uses
 * nothing from this module. While a modal dialog is open, only the dialog counts.
 */
export function layoutFlaws({ width, target }: { width: number; target: number }): Flaw[] {
  type Box = { left: number; top: number; right: number; bottom: number };
  type Piece = { element: Element; node: Node; box: Box; layer: Element };

  const root = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body;
  const place = { x: window.scrollX, y: window.scrollY };
  const styles = new Map<Element, CSSStyleDeclaration>();
  const controlTypes =
    'a[href], button, input, select, textarea, summary, [role="button"], [role="link"], [role="checkbox"], ' +
    '[role="radio"], [role="tab"], [role="switch"], [role="menuitem"], [role="option"]';

  function styleOf(element: Element): CSSStyleDeclaration {
    let style = styles.get(element);
    if (!style) {
      style = getComputedStyle(element);
      styles.set(element, style);
    }
    return style;
  }
  function ancestors(element: Element): Element[] {
    const found: Element[] = [];
    for (let one: Element | null = element; one && one !== document.body; one = one.parentElement)
      found.push(one);
    return found;
  }
  const shorten = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text);
  const wordsOf = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim();

  /** `link "Harbour Mills" (a.strong in td)` */
  function nameOf(element: Element): string {
    const tag = (one: Element) =>
      [one.localName, ...[...one.classList].filter((name) => !/^m_|^mantine-/.test(name)).slice(0, 2)].join(
        '.',
      );
    const words = wordsOf(
      element.getAttribute('aria-label') ??
        (element as HTMLInputElement).labels?.[0]?.textContent ??
        element.textContent,
    );
    const parent =
      element.parentElement && element !== document.body ? ` in ${tag(element.parentElement)}` : '';
    return `${words === '' ? '' : `"${shorten(words, 40)}" `}(${tag(element)}${parent})`;
  }
  const alike = new Map<string, Flaw[]>();
  /** Of many elements of the same kind with the same flaw, one is described. */
  function report(element: Element, what: string, kind = what.split(' ', 3).join(' ')): void {
    const key = `${kind} ${nameOf(element).replace(/^".*" /, '')}`;
    alike.set(key, [...(alike.get(key) ?? []), { element: nameOf(element), what }]);
  }

  const unseen = new Map<Element, boolean>();
  /** Hidden, or only for screen readers. */
  function isUnseen(element: Element): boolean {
    const known = unseen.get(element);
    if (known !== undefined) return known;
    const { clipPath, clip, position } = styleOf(element);
    const isClipped =
      clipPath.includes('inset(50%') || (position === 'absolute' && clip !== 'auto' && clip !== '');
    const parent = element.parentElement;
    const result = isClipped || (parent !== null && parent !== document.documentElement && isUnseen(parent));
    unseen.set(element, result);
    return result;
  }
  const isVisible = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !isUnseen(element);

  /** What may lie above the page: a fixed or sticky bar, a dialog, a menu, or what was added at the end of the body. */
  function layerOf(element: Element): Element {
    for (const one of ancestors(element)) {
      const { position, zIndex } = styleOf(one);
      if (position === 'fixed' || position === 'sticky' || one.matches('dialog, [popover]')) return one;
      if (position === 'absolute' && zIndex !== 'auto') return one;
      if (one.parentElement === document.body) return one;
    }
    return document.body;
  }

  /** The ancestors that clip the element, from the inside to the outside. */
  function clippersOf(
    element: Element,
  ): { by: Element; box: Box; scrolls: boolean; hides: { x: boolean; y: boolean } }[] {
    const found = [];
    let isAbsolute = false;
    for (const one of ancestors(element)) {
      const { overflowX, overflowY, position } = styleOf(one);
      const isClipper = overflowX !== 'visible' || overflowY !== 'visible';
      if (isClipper && !(isAbsolute && position === 'static')) {
        const { left, top } = one.getBoundingClientRect();
        const box = {
          left: left + one.clientLeft,
          top: top + one.clientTop,
          right: left + one.clientLeft + one.clientWidth,
          bottom: top + one.clientTop + one.clientHeight,
        };
        const hides = { x: /hidden|clip/.test(overflowX), y: /hidden|clip/.test(overflowY) };
        if (one.clientWidth > 0) found.push({ by: one, box, scrolls: !(hides.x && hides.y), hides });
      }
      if (position === 'fixed' || one.matches('dialog')) break;
      if (position !== 'static') isAbsolute = false;
      if (position === 'absolute') isAbsolute = true;
    }
    return found;
  }
  function clipped(element: Element, { left, top, right, bottom }: Box): Box | undefined {
    const box = { left, top, right, bottom };
    for (const { box: edge } of clippersOf(element)) {
      box.left = Math.max(box.left, edge.left);
      box.top = Math.max(box.top, edge.top);
      box.right = Math.min(box.right, edge.right);
      box.bottom = Math.min(box.bottom, edge.bottom);
    }
    return box.right - box.left > 1 && box.bottom - box.top > 1 ? box : undefined;
  }

  const pieces: Piece[] = [];
  const range = document.createRange();
  const isTold = (element: Element, text: string) =>
    wordsOf(element.closest('[title]')?.getAttribute('title')).includes(text);

  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement;
    const text = wordsOf(node.textContent);
    if (!element || text === '' || element.closest('script, style, title, option, textarea, noscript'))
      continue;
    if (!isVisible(element)) continue;
    range.selectNodeContents(node);
    const lines = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
    const clippers = clippersOf(element);
    let cut = false;
    for (const line of lines) {
      for (const { box, scrolls, hides } of clippers) {
        const slack = line.height / 4;
        const isOut =
          (hides.x && (line.right > box.right + 1.5 || line.left < box.left - 1.5)) ||
          (hides.y && (line.bottom > box.bottom + slack || line.top < box.top - slack));
        if (isOut) cut = true;
        if (scrolls) break;
      }
      const box = clipped(element, line);
      if (!box) continue;
      if (box.right > width + 1 || box.left < -1) {
        report(element, `has text that ends at ${Math.round(box.right)} px, off the screen`);
        break;
      }
      // Letters are lower than their line.
      const inset = (box.bottom - box.top) * 0.2;
      pieces.push({
        element,
        node,
        layer: layerOf(element),
        box: { ...box, top: box.top + inset, bottom: box.bottom - inset },
      });
    }
    if (cut && !isTold(element, text)) report(element, 'is cut off, and has no title with the whole text');
    if (lines.length > 1 && !element.closest('pre, code')) {
      const content = node.textContent ?? '';
      for (const { 0: word, index } of content.matchAll(/[^\s\-–—\u00ad\u200b]+/g)) {
        if (word.length > 20 || word.includes('/')) continue;
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
        if (new Set(boxes.map(({ top }) => Math.round(top))).size <= 1) continue;
        report(element, `breaks the word “${word}”`, 'breaks');
        break;
      }
    }
  }

  const controls = [...root.querySelectorAll(controlTypes)].filter(
    (control) => isVisible(control) && !control.matches('[type="hidden"], :disabled, [aria-disabled="true"]'),
  );
  for (const element of controls) {
    for (const rect of element.getClientRects()) {
      const box = clipped(element, rect);
      if (!box) continue;
      if (box.right > width + 1 || box.left < -1)
        report(
          element,
          `reaches from ${Math.round(box.left)} to ${Math.round(box.right)} px, off the screen`,
        );
      pieces.push({ element, node: element, box, layer: layerOf(element) });
    }
  }

  const { scrollWidth } = document.documentElement;
  if (scrollWidth > width + 1) {
    const wide = [...root.querySelectorAll('*')].filter(
      (one) => one.getBoundingClientRect().right > width + 1,
    );
    report(
      wide.at(-1) ?? document.body,
      `makes the page ${scrollWidth} px wide, so that it scrolls sideways`,
    );
  }

  for (const { element, box, layer } of pieces) {
    const card = element.closest('.card');
    if (!card || card === element || layerOf(card) !== layer) continue;
    const { left, right } = card.getBoundingClientRect();
    if (box.left < left - 1 || box.right > right + 1)
      report(element, `reaches from ${Math.round(box.left)} to ${Math.round(box.right)} px, out of its card`);
  }

  // Pairs that overlap, from top to bottom.
  pieces.sort((a, b) => a.box.top - b.box.top);
  /** Buttons and key hints within a field belong to it. */
  const belongsTo = (field: Element, other: Element) =>
    field.matches('input, select, textarea') && !!field.parentElement?.parentElement?.contains(other);
  const told = new Set<string>();
  pieces.forEach((one, index) => {
    for (const other of pieces.slice(index + 1)) {
      if (other.box.top >= one.box.bottom - 2) break;
      if (one.node === other.node || one.layer !== other.layer) continue;
      const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (across <= 2 || down <= 2) continue;
      if (one.node.contains(other.node) || other.node.contains(one.node)) continue;
      if (belongsTo(one.element, other.element) || belongsTo(other.element, one.element)) continue;
      const what = `overlaps ${nameOf(other.element)} by ${Math.round(across)} × ${Math.round(down)} px`;
      if (told.has(nameOf(one.element) + nameOf(other.element))) continue;
      told.add(nameOf(one.element) + nameOf(other.element));
      report(one.element, what);
    }
  });

  /** A link or button in running text. */
  function isInSentence(element: Element): boolean {
    if (!/^inline/.test(styleOf(element).display)) return false;
    let block = element.parentElement;
    while (block && /^(inline|contents)/.test(styleOf(block).display)) block = block.parentElement;
    if (!block) return false;
    const nodes = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      const parent = node.parentElement;
      if (!/[\p{L}\p{N}]/u.test(node.textContent ?? '') || !parent || parent.closest(controlTypes)) continue;
      let own: Element | null = parent;
      while (own && own !== block && /^(inline|contents)/.test(styleOf(own).display)) own = own.parentElement;
      if (own === block && isVisible(parent)) return true;
    }
    return false;
  }
  /** How far, on both sides of the center, a tap still reaches the element, for example by a pseudo-element. */
  function hitLength(element: Element, [x, y]: [number, number], [across, down]: [number, number]): number {
    const own = [element, ...((element as HTMLInputElement).labels ?? [])];
    function reach(step: number): number {
      let length = 0;
      for (; length < target; length++) {
        const hit = document.elementFromPoint(x + across * step * length, y + down * step * length);
        if (!own.some((one) => one.contains(hit))) break;
      }
      return length;
    }
    return reach(1) + reach(-1) - 1;
  }
  const small = new Map<string, Element[]>();
  const sizes = new Map<Element, string>();
  for (const element of controls) {
    // A link of several lines is as large as its text.
    if (
      isInSentence(element) ||
      (styleOf(element).display === 'inline' && element.getClientRects().length > 1)
    )
      continue;
    const boxes = [element, ...((element as HTMLInputElement).labels ?? [])]
      .filter(
        (one, index) =>
          index === 0 || element.matches('[type="checkbox"], [type="radio"]') || one === element,
      )
      .map((one) => one.getBoundingClientRect())
      .filter((box) => box.width > 0);
    if (boxes.length === 0) continue;
    const size = {
      x: Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left)),
      y: Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top)),
    };
    if (size.x >= target - 0.5 && size.y >= target - 0.5) continue;
    const kind = `${element.localName}.${element.className} ${element.parentElement?.localName}.${element.parentElement?.className}`;
    sizes.set(element, `${Math.round(size.x)} × ${Math.round(size.y)} px`);
    small.set(kind, [...(small.get(kind) ?? []), element]);
  }
  for (const group of small.values()) {
    const failing = group.slice(0, 3).find((element) => {
      element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const { left, top, width, height } = element.getBoundingClientRect();
      const x = left + width / 2;
      const y = top + height / 2;
      const isWide = width >= target - 0.5 || hitLength(element, [x, y], [1, 0]) >= target - 1;
      const isTall = height >= target - 0.5 || hitLength(element, [x, y], [0, 1]) >= target - 1;
      if (isWide && isTall) return false;
      // With a mouse, a small target is enough if no other one is near.
      if (target > 24) return true;
      return controls.some((other) => {
        if (other === element || other.contains(element) || element.contains(other)) return false;
        const box = other.getBoundingClientRect();
        const across = Math.max(box.left - x, x - box.right, 0);
        const down = Math.max(box.top - y, y - box.bottom, 0);
        return Math.hypot(across, down) < target / 2;
      });
    });
    if (!failing) continue;
    report(failing, `is a target of ${sizes.get(failing)}, smaller than ${target} px`);
  }

  // The end of the page must not stay under a bar.
  if (root === document.body) {
    window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
    for (const bar of root.querySelectorAll('*')) {
      if (styleOf(bar).position !== 'fixed' || !isVisible(bar)) continue;
      const edge = bar.getBoundingClientRect();
      if (edge.width === 0 || edge.height === 0 || edge.top < innerHeight / 2) continue;
      const under = [
        ...root.querySelectorAll(controlTypes),
        ...root.querySelectorAll('p, h1, h2, h3, td, dd, li'),
      ]
        .filter(
          (one) =>
            !bar.contains(one) &&
            !one.contains(bar) &&
            isVisible(one) &&
            layerOf(one) === layerOf(document.getElementById('main') ?? one),
        )
        .find((one) => {
          const box = clipped(one, one.getBoundingClientRect());
          return (
            box &&
            box.bottom > edge.top + 2 &&
            box.top < edge.bottom &&
            box.right > edge.left &&
            box.left < edge.right
          );
        });
      if (under) report(under, `stays under ${nameOf(bar)} at the end of the page`);
    }
  }
  window.scrollTo({ left: place.x, top: place.y, behavior: 'instant' });
  return [...alike.values()].flatMap(([first, ...others]) => {
    const more = others.length > 0 ? ` (and ${others.length} more like it)` : '';
    return first ? [{ ...first, what: `${first.what}${more}` }] : [];
  });
}
