-- Version 7: a crawl has a running number of its site, given when it is opened, and crawls are in order of these numbers.
--
-- Until now the number was made from the name: the day since 1970 and, in the low 32 bits, which one of that day it is.
-- So the numbers that are there are in the order of the names, and stay as they are; the next crawl has the one after
-- the highest. A crawl is found by its name.

CREATE UNIQUE INDEX crawl_by_name ON crawl (site, name);
