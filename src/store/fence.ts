/**
 * At the end of a `lateral` subquery it keeps the planner from joining in another order, or in another way, than the
 * one written: from the rows given, by an index, to the few that belong to each. Left free, it decides by statistics,
 * and during a first load there are none: it takes the tables for nearly empty and compares all of one with all of
 * another.
 */
export const fence = 'offset 0';
