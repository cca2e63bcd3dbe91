"""The engine behind ragsql's PL/Python functions: plain Python, usable without a server.

`API` is the number that the SQL side asks for before each call, see `session.Engine.require`.
It grows whenever a method's arguments or results change.
"""

API = 6
