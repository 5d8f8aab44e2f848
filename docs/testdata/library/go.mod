module example.com/mygonogo

go 1.26.0

require gonogo v0.0.0 // in a program of your own, go mod tidy adds the rest

replace gonogo => ../../..
